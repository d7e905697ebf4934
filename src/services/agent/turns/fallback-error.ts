import { ServiceError } from "../../../contract/errors.ts";

/** What is wrong with a fallback is said of the header it came in: the model that was asked for first may be fine. */
export class FallbackError extends ServiceError {
  constructor(cause: ServiceError) {
    super(cause.code, `x-model-fallbacks: ${cause.message.replace(/^x-model-id /, "")}`, {
      cause,
      ...(cause.hint !== undefined && { hint: cause.hint }),
      ...(cause.suggestions && { suggestions: cause.suggestions }),
    });
  }
}

/** The same error, if it says nothing of the model. */
export function toFallbackError(error: unknown): unknown {
  return error instanceof ServiceError && error.code.startsWith("model_") ? new FallbackError(error) : error;
}
