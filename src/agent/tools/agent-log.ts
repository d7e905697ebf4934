type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** The logger of parts that live longer than one run. A pino logger fits. */
export interface AgentLog {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
}
