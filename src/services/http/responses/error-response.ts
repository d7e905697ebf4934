import type { Context, ErrorHandler } from "hono";
import type { Logger } from "pino";
import { errorKinds, isRetryable, ServiceError, type FieldError } from "../../../contract/errors.ts";
import { isOpenAiPath } from "../../../contract/operations/openapi.ts";
import { toProblem, type OpenAiError } from "../../../contract/schemas/problem.ts";
import type { ShellEnvironment } from "../shell-environment.ts";

/** The answer for one failure: a problem document, or OpenAI's error shape under `/v1/`. */
export function errorResponse(error: ServiceError, request: FailedRequest): Response {
  const { body, ...init } = errorAnswer(error, request);
  return new Response(body, init);
}

interface FailedRequest {
  readonly requestId: string;
  readonly path: string;
}

/** When to come back where the service cannot answer just now and nobody knows for how long. */
const comeBackMs = 2_000;

/** The parts of that answer, for whoever writes it without a `Response`. */
export function errorAnswer(error: ServiceError, { requestId, path }: FailedRequest) {
  const openAi = isOpenAiPath(path);
  const { status } = errorKinds[error.code];
  const waitMs = error.retryAfterMs ?? (status === 503 ? comeBackMs : undefined);
  return {
    body: JSON.stringify(openAi ? toOpenAiError(error) : toProblem(error, requestId)),
    status,
    headers: {
      ...error.headers,
      "content-type": openAi ? "application/json" : "application/problem+json",
      ...(waitMs !== undefined && { "retry-after": retryAfter(waitMs) }),
      // OpenAI's clients send every 5xx again, which would repeat a whole run and what its tools do, unless they are told not to.
      ...(openAi && !isRetryable(error.code) && { "x-should-retry": "false" }),
    },
  };
}

function retryAfter(milliseconds: number): string {
  return String(Math.max(1, Math.ceil(milliseconds / 1000)));
}

/** A failure in OpenAI's shape: as an answer, and inside a stream that has begun. */
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
 * Clients that shorten a conversation, or turn to a model with more room, know this failure by words of OpenAI and others, not by
 * its code: LangChain by the first half, LiteLLM by the second.
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
