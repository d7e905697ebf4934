import { CliError } from "./cli-error.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { withSystemReason } from "./system-reason.ts";
import { note } from "./terminal/output.ts";

interface Failure {
  readonly message: string;
  readonly exitCode: ExitCode;
}

/** Says in one line why the command ended, and sets the exit code for that kind of reason. */
export function reportFailure(error: unknown): void {
  const { message, exitCode } = explain(error);
  note(`rehearsal: ${message}`);
  process.exitCode = exitCode;
}

/** Errors are told apart by name, so that a command pays for loading only the parts it uses. */
const exitCodeByName: Readonly<Record<string, ExitCode>> = {
  SettingsError: exitCodes.configuration,
  ListenError: exitCodes.configuration,
  StoreFileError: exitCodes.configuration,
  FormatError: exitCodes.usage,
  ServiceUnreachable: exitCodes.targetUnusable,
};

function explain(error: unknown): Failure {
  if (error instanceof CliError) return { message: error.message, exitCode: error.exitCode };
  if (!(error instanceof Error)) return { message: `internal error: ${String(error)}`, exitCode: exitCodes.internal };
  const known = exitCodeByName[error.name];
  if (known !== undefined) return { message: error.message, exitCode: known };
  if (isServiceFailure(error)) return explainService(error);
  if (isServiceError(error)) return explainOwn(error);
  return { message: `internal error, please report it: ${error.stack ?? error.message}`, exitCode: exitCodes.internal };
}

/** What our own parts refuse when they are used without a service in between. */
interface OwnError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
}

const isServiceError = (error: Error): error is OwnError => error.name === "ServiceError";

function explainOwn(error: OwnError): Failure {
  const { message, code, hint } = error;
  if (code === "internal_error") return { message, exitCode: exitCodes.internal };
  if (!code.startsWith("storage_")) {
    return { message: hint === undefined ? message : `${message}\n  ${hint}`, exitCode: exitCodes.usage };
  }
  return { message: withSystemReason(error), exitCode: exitCodes.configuration };
}

interface ServiceProblem extends Error {
  readonly status: number;
  readonly problem: {
    readonly code: string;
    readonly hint: string;
    readonly errors?: readonly { pointer: string; message: string }[];
  } | null;
}

const isServiceFailure = (error: Error): error is ServiceProblem => error.name === "ServiceFailure";

/** We ask for no route that is not there, so this is another service: most often the other one of the two. */
const otherService =
  "Is that the right service? --server names the evaluation service (port 8001 unless set), --agent the agent backend (8000).";

function explainService({ message, status, problem }: ServiceProblem): Failure {
  if (problem === null ? status === 404 : problem.code === "not_found") {
    return { message: `${message}\n  ${otherService}`, exitCode: exitCodes.targetUnusable };
  }
  const fields = (problem?.errors ?? []).slice(1, 10).map((field) => `\n  ${field.pointer} ${field.message}`);
  const hint = hintOf({ status, problem });
  return { message: `${message}${fields.join("")}${hint && `\n  ${hint}`}`, exitCode: exitCodeOf(status) };
}

/** Too much at once, and whatever stands behind a service: its model, or the service itself behind a proxy. */
const cannotBeUsed: ReadonlySet<number> = new Set([429, 502, 503, 504]);

function exitCodeOf(status: number): ExitCode {
  if (cannotBeUsed.has(status)) return exitCodes.targetUnusable;
  return status >= 500 ? exitCodes.internal : exitCodes.usage;
}

/** Hints speak to whoever wrote the request, which was us: a key is set elsewhere, and what is wrong with a field is said already. */
function hintOf({ status, problem }: Pick<ServiceProblem, "status" | "problem">): string {
  if (status === 401) return "Set REHEARSAL_API_KEY to a key of that service.";
  return problem && !problem.errors ? problem.hint : "";
}
