import { ServiceError } from "../../../contract/service-error.ts";

const field = "x-model-fallbacks";

/** What is wrong with a fallback is said of the header it came in: the model that was asked for first may be fine. */
export function toFallbackError(error: unknown): unknown {
  if (!(error instanceof ServiceError) || !error.code.startsWith("model_")) return error;
  return new ServiceError(error.code, `${field}: ${error.message.replace(/^x-model-id /, "")}`, {
    cause: error,
    ...(error.hint !== undefined && { hint: error.hint }),
    ...(error.suggestions && { suggestions: error.suggestions }),
  });
}

export const isAboutFallback = ({ message }: ServiceError): boolean => message.startsWith(`${field}: `);
