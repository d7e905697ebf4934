import { errorKinds, isRetryable, type ServiceError } from "../../contract/errors.ts";
import { isOpenAiPath } from "../../contract/operations/openapi.ts";
import { toProblem } from "../../contract/schemas/problem.ts";
import { toOpenAiError } from "./openai-error.ts";

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
