import type { RunPolicy } from "../contract/schemas/endpoint-policy.ts";
import type { LabellerSettings, RunSettings } from "../contract/schemas/evaluation-request.ts";

/** Where a model is: as much of a run's settings as it takes to call it, and to know what that costs. */
export type ModelTarget = Pick<RunSettings, "endpoint" | "model_id" | "protocol" | "priority"> & {
  /** Whose calls they are. Default: nobody's. */
  readonly owner?: string | null;
  /** That of the run it is called for. Default: none but that of this process. */
  readonly policy?: RunPolicy | null;
};

/** Where the judge or the labeller of a run is. What its settings leave open is that of the model under test. */
export function helperTarget(
  settings: RunSettings,
  { endpoint = settings.endpoint, model_id = settings.model_id, protocol = "openai-chat" }: LabellerSettings,
): ModelTarget {
  return { endpoint, model_id, protocol, priority: settings.priority };
}
