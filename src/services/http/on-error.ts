import type { Context, ErrorHandler } from "hono";
import type { Logger } from "pino";
import { errorKinds, ServiceError } from "../../contract/errors.ts";
import { errorResponse } from "./error-response.ts";
import type { ShellEnvironment } from "./shell-environment.ts";

/** The one place where errors become answers. What we did not foresee says nothing; its cause is in the log. */
export function onError({ log }: { log: Logger }): ErrorHandler<ShellEnvironment> {
  return (thrown, context) => {
    const error = toServiceError(thrown, context);
    const { requestId } = context.var;
    logFailure(log, error, { err: thrown, request_id: requestId });
    return errorResponse(error, { requestId, path: context.req.path });
  };
}

/** What is our fault or a provider's; whose fault the request is, its client knows. */
export function logFailure(log: Logger, { code }: ServiceError, details: FailureDetails): void {
  if (code === "internal_error") log.error(details, "unexpected error");
  else if (errorKinds[code].status >= 500) log.warn(details, code);
}

interface FailureDetails {
  readonly err: unknown;
  readonly request_id: string;
  readonly run_id?: string | undefined;
}

/** Anything that was thrown, as an error a client may see. */
function toServiceError(thrown: Error, context: Context): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (context.req.raw.signal.aborted)
    return new ServiceError("client_closed", "The client went away.", { cause: thrown });
  if (lacksFiles(thrown))
    return new ServiceError("overloaded", "The service has as many files and connections open as the system allows.", {
      cause: thrown,
    });
  return unexpected(thrown);
}

/** Nothing more can be opened just now, in this process or on the whole machine. */
const lacksFiles = ({ code }: NodeJS.ErrnoException): boolean => code === "EMFILE" || code === "ENFILE";

/** The answer to what should not have happened. */
export function unexpected(cause: unknown): ServiceError {
  return new ServiceError("internal_error", "The request could not be answered.", { cause });
}
