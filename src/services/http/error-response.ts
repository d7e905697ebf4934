import { errorKinds } from "../../contract/errors.ts";
import type { FieldError, ServiceError } from "../../contract/service-error.ts";
import { isOpenAiPath, type OpenAiError } from "../../contract/openapi.ts";
import { toProblem } from "../../contract/problem.ts";

/** The answer for one failure: a problem document, or OpenAI's error shape under `/v1/`. */
export function errorResponse(error: ServiceError, request: FailedRequest): Response {
  const { body, ...init } = errorAnswer(error, request);
  return new Response(body, init);
}

export interface FailedRequest {
  readonly requestId: string;
  readonly path: string;
}

/** The parts of that answer, for whoever writes it without a `Response`. */
export function errorAnswer(error: ServiceError, { requestId, path }: FailedRequest) {
  const openAi = isOpenAiPath(path);
  return {
    body: JSON.stringify(openAi ? toOpenAiError(error) : toProblem(error, requestId)),
    status: errorKinds[error.code].status,
    headers: {
      ...error.headers,
      "content-type": openAi ? "application/json" : "application/problem+json",
      ...(error.retryAfterMs !== undefined && { "retry-after": retryAfter(error.retryAfterMs) }),
    },
  };
}

function retryAfter(milliseconds: number): string {
  return String(Math.max(1, Math.ceil(milliseconds / 1000)));
}

function toOpenAiError(error: ServiceError): OpenAiError {
  const field = error.errors?.[0];
  return {
    error: {
      message: error.message,
      type: openAiType(errorKinds[error.code].status),
      param: field ? toParameter(field) : null,
      code: error.code,
    },
  };
}

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
