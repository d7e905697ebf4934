import { ServiceError } from "../../../contract/errors.ts";
import { FallbackError } from "../turns/fallback-error.ts";

/** For wires that name the model in a field of their own: errors speak of that field, which the client knows. */
export async function namedModel<Result>(
  route: () => Promise<Result>,
  { field = "model" }: { field?: string } = {},
): Promise<Result> {
  try {
    return await route();
  } catch (error) {
    if (!(error instanceof ServiceError) || !error.code.startsWith("model_")) throw error;
    if (error instanceof FallbackError) throw error;
    const message = error.message
      .replace("The request has no x-model-id header", `The request has no ${field}`)
      .replace(/^x-model-id /, `${field} `);
    throw new ServiceError(error.code, message, {
      cause: error,
      errors: [{ pointer: `/${field}`, code: error.code, message }],
      headers: error.headers,
      ...(error.hint !== undefined && { hint: error.hint }),
      ...(error.suggestions && { suggestions: error.suggestions }),
    });
  }
}
