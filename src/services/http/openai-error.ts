import { errorKinds, type FieldError, type ServiceError } from "../../contract/errors.ts";
import type { OpenAiError } from "../../contract/schemas/problem.ts";

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
