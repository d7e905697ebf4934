import type { LabellerSettings, RunSettings } from "../contract/evaluation-request.ts";

/** The settings of a run with a judge or a labeller in place of the model under test: models and prices are looked up by it. */
export function helperSettings(
  settings: RunSettings,
  { endpoint, model_id, protocol = "openai-chat" }: LabellerSettings,
): RunSettings {
  return { ...settings, endpoint: endpoint ?? settings.endpoint, model_id: model_id ?? settings.model_id, protocol };
}
