import { CliError, exitCodes, type ExitCode } from "./cli-error.ts";
import { note } from "./output.ts";

interface ReportedFailure {
  readonly message: string;
  readonly exitCode: ExitCode;
}

/** Prints why the command failed and sets the exit code for that kind of failure. */
export function reportFailure(error: unknown): void {
  const { message, exitCode } = explain(error);
  note(`rehearsal: ${message}`);
  process.exitCode = exitCode;
}

/** The error's message with the system error at the bottom of its cause chain. */
export function withSystemReason({ message, cause }: Error): string {
  const reason = systemReason(cause);
  return reason === null ? message : `${message} (${reason})`;
}

/** Errors are matched by name, so that a command does not load modules only for their error classes. */
const exitCodeByName: Readonly<Record<string, ExitCode>> = {
  SettingsError: exitCodes.configuration,
  ListenError: exitCodes.configuration,
  StoreFileError: exitCodes.configuration,
  FormatError: exitCodes.usage,
  ServiceUnreachable: exitCodes.targetUnusable,
};

function explain(error: unknown): ReportedFailure {
  if (error instanceof CliError) return { message: error.message, exitCode: error.exitCode };
  if (!(error instanceof Error)) return { message: `internal error: ${String(error)}`, exitCode: exitCodes.internal };
  const known = exitCodeByName[error.name];
  if (known !== undefined) return { message: error.message, exitCode: known };
  if (isServiceFailure(error)) return explainService(error);
  if (isServiceError(error)) return explainOwn(error);
  return { message: `internal error, please report it: ${error.stack ?? error.message}`, exitCode: exitCodes.internal };
}

/** A `ServiceError` thrown in this process, without a service in between. */
interface OwnError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
}

const isServiceError = (error: Error): error is OwnError => error.name === "ServiceError";

function explainOwn(error: OwnError): ReportedFailure {
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

/** Every route we call exists, so a 404 means another service: most often the other one of the two. */
const otherService =
  "Is that the right service? --server names the evaluation service (port 8001 unless set), --agent the agent backend (8000).";

function explainService({ message, status, problem }: ServiceProblem): ReportedFailure {
  if (problem === null ? status === 404 : problem.code === "not_found") {
    return { message: `${message}\n  ${otherService}`, exitCode: exitCodes.targetUnusable };
  }
  const fields = (problem?.errors ?? []).slice(1, 10).map((field) => `\n  ${field.pointer} ${field.message}`);
  const hint = hintOf({ status, problem });
  return { message: `${message}${fields.join("")}${hint && `\n  ${hint}`}`, exitCode: failureExitCode(status) };
}

/** Rate limits, and failures of what is behind a service or a proxy. */
const cannotBeUsed: ReadonlySet<number> = new Set([429, 502, 503, 504]);

function failureExitCode(status: number): ExitCode {
  if (cannotBeUsed.has(status)) return exitCodes.targetUnusable;
  return status >= 500 ? exitCodes.internal : exitCodes.usage;
}

/** Hints are written for callers of the API. Those about keys and fields do not fit the command line. */
function hintOf({ status, problem }: Pick<ServiceProblem, "status" | "problem">): string {
  if (status === 401) return "Set REHEARSAL_API_KEY to a key of that service.";
  return problem && !problem.errors ? problem.hint : "";
}

interface SystemError extends NodeJS.ErrnoException {
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
}

/** The innermost system error, such as `ECONNREFUSED 127.0.0.1:1`, with its address: a wrong one is recognised by its host. */
function systemReason(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const deeper = systemReason(error instanceof AggregateError ? error.errors[0] : error.cause);
  if (deeper !== null) return deeper;
  const { code = "", address, port, hostname }: SystemError = error;
  if (!/^E[A-Z]+$/.test(code)) return null;
  const place = hostname ?? (port === undefined ? address : `${address}:${port}`);
  return place === undefined ? code : `${code} ${place}`;
}
