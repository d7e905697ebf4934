import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import type { Warning } from "../contract/schemas/problem.ts";

/** Along the references every turn is a conversation of its own: what a judge is shown as one was never held. */
export function conversationWarnings(
  { judge, history }: Pick<RunSettings, "judge" | "history">,
  scenarios: readonly Scenario[],
): readonly Warning[] {
  if (judge?.scope !== "conversation" || history !== "reference") return [];
  if (scenarios.every(({ interactions }) => interactions.length < 2)) return [];
  const message =
    "judges replies together that were not said in one conversation: with reference history the model never saw its own";
  return [{ pointer: "/judge/scope", message }];
}
