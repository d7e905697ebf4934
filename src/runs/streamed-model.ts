import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { ChatModel } from "../contract/ports/chat-model.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import type { ScorerSetting, TurnCheck } from "../contract/schemas/scorer-setting.ts";

/** Whether a run wants to know when the first token of a reply came: it says so, or a check of it needs to know. */
export function wantsStream(
  { stream, scorers = [] }: Pick<RunSettings, "stream" | "scorers">,
  scenarios: readonly Scenario[],
): boolean {
  return (
    stream ??
    (scorers.some(isOfFirstToken) ||
      scenarios.some(({ interactions }) => interactions.some(({ checks }) => checks?.some(isOfFirstToken))))
  );
}

function isOfFirstToken(setting: ScorerSetting | TurnCheck): boolean {
  return typeof setting === "object" && setting.type === "latency" && setting.of === "first_token";
}

/** A model that is asked for streams, although nobody listens to them. */
export function streamedModel(model: ChatModel): ChatModel {
  return (request, options) => model(request, { ...options, stream: true });
}
