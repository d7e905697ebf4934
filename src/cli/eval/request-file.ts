import { omitUndefined } from "../../base/json.ts";
import { EvaluationRequest } from "../../contract/schemas/evaluation-request.ts";
import type { Gate } from "../../contract/schemas/budget.ts";
import type { Config } from "../config/config.ts";
import type { ScenarioFile } from "../scenarios/read-scenarios.ts";

/** The scenarios are read by whoever reads scenarios, and refused there. */
const Settings = EvaluationRequest.omit({ test_batch: true });

/** A file that holds a whole evaluation request also says how to run it: what is neither typed nor configured is taken from there. */
export function requestSettings(files: readonly ScenarioFile[]): { settings: Config; gate?: Gate | undefined } {
  const [file] = files;
  if (files.length !== 1 || file?.format !== "json") return { settings: {} };
  const request = JSON.parse(file.text) as { readonly test_batch?: unknown } | null;
  const parsed = Settings.safeParse(request);
  if (!request?.test_batch || !parsed.success) return { settings: {} };
  const { model_id, test_name, gate, ...rest } = parsed.data;
  return { settings: omitUndefined({ ...rest, model: model_id, name: test_name }), gate };
}
