import type { FieldError } from "../contract/errors.ts";
import type { LabellerSettings } from "../contract/schemas/evaluation-request.ts";
import type { ModelTarget } from "./model-target.ts";

/**
 * Where the judge or labeller of a request is, the operator's part included, or what the request lacks to say so. It is never the
 * model under test by default.
 */
export function findHelper(
  noun: "judge" | "labeller",
  { endpoint, model_id, protocol = "openai-chat" }: LabellerSettings,
): { readonly target: ModelTarget | null; readonly problems: readonly FieldError[] } {
  const lacks = (field: string, message: string) => ({
    target: null,
    problems: [{ pointer: `/${noun}/${field}`, code: "required", message }],
  });
  if (endpoint === undefined) {
    return lacks("endpoint", `is required: no ${noun} is set on this service (${noun.toUpperCase()}_ENDPOINT)`);
  }
  if (model_id === undefined) return lacks("model_id", "is required when an endpoint is given");
  return { target: { endpoint, model_id, protocol }, problems: [] };
}
