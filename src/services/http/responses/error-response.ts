import type { Context } from "hono";
import type { Logger } from "pino";
import { errorKinds, isRetryable, ServiceError, type FieldError } from "../../../contract/errors/errors.ts";
import { isOpenAiPath } from "../../../contract/operations/openapi.ts";
import { toProblem, type OpenAiError } from "../../../contract/errors/problem.ts";
import type { ShellEnvironment } from "../environment/shell-environment.ts";

/** The response for an error: a problem document, or OpenAI's error shape under `/v1/`. */
export function errorResponse(error: ServiceError, request: FailedRequest): Response {
  const { body, ...init } = errorAnswer(error, request);
  return new Response(body, init);
}

interface FailedRequest {
  readonly requestId: string;
  readonly path: string;
}

/** The `Retry-After` of a 503 whose duration is unknown. */
const defaultRetryAfterMs = 2_000;

/** The parts of that response, for callers that write it without a `Response`. */
export function errorAnswer(error: ServiceError, { requestId, path }: FailedRequest) {
  const openAi = isOpenAiPath(path);
  const { status } = errorKinds[error.code];
  const waitMs = error.retryAfterMs ?? (status === 503 ? defaultRetryAfterMs : undefined);
  return {
    body: JSON.stringify(openAi ? toOpenAiError(error) : toProblem(error, requestId)),
    status,
    headers: {
      ...error.headers,
      "content-type": openAi ? "application/json" : "application/problem+json",
      ...(waitMs !== undefined && { "retry-after": retryAfter(waitMs) }),
      // OpenAI's clients retry every 5xx without this header, which would repeat a whole run and its tool calls.
      ...(openAi && !isRetryable(error.code) && { "x-should-retry": "false" }),
    },
  };
}

function retryAfter(milliseconds: number): string {
  return String(Math.max(1, Math.ceil(milliseconds / 1000)));
}

/** An error in OpenAI's shape, for responses and for streams that have begun. */
export function toOpenAiError(error: ServiceError): OpenAiError {
  const field = error.errors?.[0];
  return {
    error: {
      message: error.code === "context_length_exceeded" ? `${error.message} ${overflowWords}` : error.message,
      type: openAiType(errorKinds[error.code].status),
      param: field ? toParameter(field) : null,
      code: error.code,
    },
  };
}

/**
 * Clients that shorten a conversation or switch to a larger model recognise this error by its text, not by its code: LangChain by the
 * first half, LiteLLM by the second.
 */
const overflowWords = "It exceeds the context window: it is longer than the model's context length.";

function openAiType(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

/** `/messages/0/content` → `messages[0].content`, as OpenAI's clients print it. */
function toParameter({ pointer }: FieldError): string | null {
  const path = pointer
    .slice(1)
    .replaceAll(/\/(\d+)(?=\/|$)/g, "[$1]")
    .replaceAll("/", ".");
  return path.replaceAll("~1", "/").replaceAll("~0", "~") || null;
}

/** The one place where errors become responses. An unexpected error reveals nothing to the client; its cause is logged. */
export function createErrorHandler({ log }: { log: Logger }) {
  return (thrown: unknown, context: Context<ShellEnvironment>): Response => {
    const error = toServiceError(thrown, context);
    const { requestId } = context.var;
    logFailure(log, error, { err: thrown, request_id: requestId });
    return errorResponse(error, { requestId, path: context.req.path });
  };
}

/** Logs failures of the service or of a provider. Mistakes of the client are not logged. */
export function logFailure(log: Logger, { code }: ServiceError, details: FailureDetails): void {
  if (code === "internal_error") log.error(details, "unexpected error");
  else if (errorKinds[code].status >= 500) log.warn(details, code);
}

interface FailureDetails {
  readonly err: unknown;
  readonly request_id: string;
  readonly run_id?: string | undefined;
}

/** Turns anything thrown into an error that a client may see. */
function toServiceError(thrown: unknown, context: Context): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (context.req.raw.signal.aborted)
    return new ServiceError("client_closed", "The client went away.", { cause: thrown });
  if (lacksFiles(thrown))
    return new ServiceError("overloaded", "The service has as many files and connections open as the system allows.", {
      cause: thrown,
    });
  return unexpected(thrown);
}

/** The process or the machine has no free file descriptor. */
const lacksFiles = (thrown: unknown): boolean =>
  thrown instanceof Error && "code" in thrown && (thrown.code === "EMFILE" || thrown.code === "ENFILE");

/** The error for anything that should not have happened. */
export function unexpected(cause: unknown): ServiceError {
  return new ServiceError("internal_error", "The request could not be answered.", { cause });
}
