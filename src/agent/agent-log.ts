type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** What parts of the agent that live longer than one run report. A pino logger is one. */
export interface AgentLog {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
}
