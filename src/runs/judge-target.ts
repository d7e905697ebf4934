import type { FieldError } from "../contract/service-error.ts";
import type { LabellerSettings } from "../contract/evaluation-request.ts";
import type { ModelTarget } from "./model-target.ts";

/** Where the judge of a request is, or what the request lacks to say so. */
export function judgeTarget(judge: LabellerSettings): {
  readonly target: ModelTarget | null;
  readonly problems: readonly FieldError[];
} {
  const { endpoint, model_id, protocol = "openai-chat" } = judge;
  if (endpoint !== undefined && model_id !== undefined) {
    return { target: { endpoint, model_id, protocol }, problems: [] };
  }
  const missing = [...(endpoint === undefined ? ["endpoint"] : []), ...(model_id === undefined ? ["model_id"] : [])];
  return {
    target: null,
    problems: missing.map((field) => ({ pointer: `/judge/${field}`, code: "required", message: "is required" })),
  };
}
