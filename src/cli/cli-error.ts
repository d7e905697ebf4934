import { exitCodes, type ExitCode } from "./exit-codes.ts";

/** Why a command cannot go on, in words for the person who typed it. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = exitCodes.usage, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
