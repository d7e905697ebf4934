import type { EvaluationResponse, ScenarioResult } from "../../src/contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../src/contract/schemas/interaction-result.ts";

/** What the model saw before a turn: its own earlier replies, or the reference replies. */
export const historyModes = ["own", "reference"] as const;
export type HistoryMode = (typeof historyModes)[number];

export const historyLabels: Record<HistoryMode, string> = { own: "Own replies", reference: "Reference replies" };

export const readHistoryMode = (value: string | null): HistoryMode => (value === "reference" ? "reference" : "own");

/** A scenario as if its attempts with the other history were its attempts. Without such attempts it stays as it is. */
export function inHistory(scenario: ScenarioResult, mode: HistoryMode): ScenarioResult {
  const attempts = mode === "reference" ? scenario.reference_attempts : undefined;
  return attempts ? { ...scenario, attempts } : scenario;
}

export const resultsInHistory = (results: EvaluationResponse, mode: HistoryMode): EvaluationResponse =>
  mode === "own"
    ? results
    : { ...results, results: { scenarios: results.results.scenarios.map((entry) => inHistory(entry, mode)) } };

/** The same turn of the same attempt with the other history, where it was tried: in a run with both, or in a replay. */
export function otherReply(
  scenario: ScenarioResult,
  { mode, attempt, turnIndex }: { mode: HistoryMode; attempt: number; turnIndex: number },
): InteractionResult | null {
  const own = scenario.attempts.find((entry) => entry.attempt === attempt);
  const taught = scenario.reference_attempts?.find((entry) => entry.attempt === attempt);
  const turns = mode === "own" ? (taught ?? own?.replay)?.interactions : own?.interactions;
  return turns?.find((entry) => entry.turn_index === turnIndex) ?? null;
}
