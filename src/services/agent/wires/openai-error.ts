import { errorKinds } from "../../../contract/errors.ts";
import type { ServiceError } from "../../../contract/service-error.ts";
import type { OpenAiError } from "../../../contract/openapi.ts";

/** An error inside a stream that has begun, in the shape its status would have had. */
export function toOpenAiError(error: ServiceError): OpenAiError {
  const { status } = errorKinds[error.code];
  return { error: { message: error.message, type: typeOf(status), param: null, code: error.code } };
}

function typeOf(status: number): string {
  if (status === 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}
