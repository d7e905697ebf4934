import type { EvaluationResponse, ScenarioResult } from "../../src/contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../src/contract/schemas/interaction-result.ts";

/** The history the model saw before a turn: its own earlier replies, or the reference replies. */
export const historyModes = ["own", "reference"] as const;
export type HistoryMode = (typeof historyModes)[number];

export const historyLabels: Record<HistoryMode, string> = { own: "Own replies", reference: "Reference replies" };

export const readHistoryMode = (value: string | null): HistoryMode => (value === "reference" ? "reference" : "own");

/** A scenario with its attempts in the given history; unchanged if it has no reference attempts. */
export function inHistoryMode(scenario: ScenarioResult, mode: HistoryMode): ScenarioResult {
  const attempts = mode === "reference" ? scenario.reference_attempts : undefined;
  return attempts ? { ...scenario, attempts } : scenario;
}

export const resultsWithHistory = (results: EvaluationResponse, mode: HistoryMode): EvaluationResponse =>
  mode === "own"
    ? results
    : { ...results, results: { scenarios: results.results.scenarios.map((entry) => inHistoryMode(entry, mode)) } };

/** The same turn of the same attempt with the other history, from a run with both histories or from a replay. */
export function replyWithOtherHistory(
  scenario: ScenarioResult,
  { mode, attempt, turnIndex }: { mode: HistoryMode; attempt: number; turnIndex: number },
): InteractionResult | null {
  const own = scenario.attempts.find((entry) => entry.attempt === attempt);
  const reference = scenario.reference_attempts?.find((entry) => entry.attempt === attempt);
  const turns = mode === "own" ? (reference ?? own?.replay)?.interactions : own?.interactions;
  return turns?.find((entry) => entry.turn_index === turnIndex) ?? null;
}

/** How passed turns are shown: a line each, or all of them. */
export type PassedMode = "folded" | "open";

export const readPassedMode = (params: URLSearchParams): PassedMode =>
  params.get("passed") === "open" ? "open" : "folded";

export const viewModes = ["side", "inline", "plain", "rendered"] as const;
export type ViewMode = (typeof viewModes)[number];

export const viewLabels: Record<ViewMode, string> = {
  side: "Side by side",
  inline: "Inline diff",
  plain: "Plain",
  rendered: "Markdown",
};

export const readViewMode = (value: string | null): ViewMode => viewModes.find((mode) => mode === value) ?? "side";

export const nextViewMode = (mode: ViewMode): ViewMode =>
  viewModes[(viewModes.indexOf(mode) + 1) % viewModes.length] ?? "side";
