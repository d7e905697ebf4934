/** Exit codes of every command. Quality failures and broken set-ups never share a code. */
export const exitCodes = {
  ok: 0,
  /** A gate was not reached or, without gates, a scenario did not pass. */
  gateFailed: 1,
  /** A wrong option, a missing file, a bad configuration file or scenario. */
  usage: 2,
  /** The model under test, or the service asked to run it, cannot be used. */
  targetUnusable: 3,
  /** The budget or the time was used up. Finished turns are kept. */
  budgetStop: 4,
  internal: 5,
  /** No verdict: a scenario or a gate without one, or a comparison that shows neither that replies are worse nor that they are not. */
  undecided: 6,
  /** sysexits EX_CONFIG: a bad setting in the environment, a taken port, an unusable store. */
  configuration: 78,
  /** Ctrl-C. Finished turns are kept. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Stops a command. The message is printed to the user as it is. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = exitCodes.usage, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

export interface ConfigPlace {
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** An error at a place in the configuration: `rehearsal.yaml:3:5 message`. */
export function configError({ file, line, column }: ConfigPlace, message: string, cause?: unknown): CliError {
  const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  return new CliError(`${place} ${message}`, undefined, { cause });
}
