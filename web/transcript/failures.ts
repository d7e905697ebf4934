import { formatFigure } from "../../src/base/numbers.ts";
import type { ScenarioResult } from "../../src/contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../src/contract/schemas/interaction-result.ts";
import { attemptOutcome, isFailure, thresholdOf, turnOutcome } from "../../src/contract/schemas/outcome.ts";

export interface TurnPosition {
  readonly scenarioId: string;
  readonly attempt: number;
  /** Index in the scenario; undefined for the first failure of the attempt. */
  readonly turn: number | undefined;
}

export const hasFailure = (scenarios: readonly ScenarioResult[]): boolean =>
  listTurns(scenarios).some(({ failing }) => failing);

/** Where a search for failures starts, and its direction. */
export interface FailureSearch {
  readonly from: TurnPosition;
  readonly step: 1 | -1;
}

/** The failing turn after (or before) `from`; null if there is none. */
export function nextFailure(scenarios: readonly ScenarioResult[], { from, step }: FailureSearch): TurnPosition | null {
  const all = [...listTurns(scenarios)];
  const start = all.findIndex(
    (place) => place.scenarioId === from.scenarioId && place.attempt === from.attempt && place.turn === from.turn,
  );
  const rest = step === 1 ? all.slice(start + 1) : all.slice(0, Math.max(0, start)).toReversed();
  return rest.find(({ failing }) => failing) ?? null;
}

/** The same, wrapping around at the end; null if nothing fails. */
export function nextFailureWrapping(
  scenarios: readonly ScenarioResult[],
  { from, step }: FailureSearch,
): TurnPosition | null {
  const onwards = nextFailure(scenarios, { from, step });
  if (onwards) return onwards;
  const all = [...listTurns(scenarios)];
  return (step === 1 ? all : all.toReversed()).find(({ failing }) => failing) ?? null;
}

/**
 * The scores that decide about a turn: `overall`, those of its parts that are below the threshold, and those that failed. The
 * reason of `overall` names its parts: "reply 0.40 (chrf) and tools 0.00 (tool_match)".
 */
export function decidingScores(
  { scores, score_reasons, failed_scores = [] }: Pick<InteractionResult, "scores" | "score_reasons" | "failed_scores">,
  threshold: number,
): string[] {
  const parts = new Set((score_reasons["overall"] ?? "").match(/[\w.-]+/g));
  const low = Object.keys(scores).filter((name) => parts.has(name) && (scores[name] ?? 1) < threshold);
  const replied = scores["success"] === 0 ? ["success"] : [];
  return ["overall", ...replied, ...low, ...failed_scores];
}

/** Why a turn failed, with enough digits to show that the score is below the threshold. */
export function belowThresholdText(overall: number, threshold: number): string {
  const looksBelow = Number(formatFigure(overall)) < threshold;
  return `overall ${looksBelow ? "" : `${Math.floor(overall * 100_000) / 100_000} is `}below ${threshold}`;
}

/**
 * Every turn with its verdict, in list order. An attempt that fails by its outcome alone counts as a failure at its last turn: the
 * outcome is shown below it.
 */
function* listTurns(scenarios: readonly ScenarioResult[]): Generator<TurnPosition & { failing: boolean }> {
  for (const scenario of scenarios) {
    const threshold = thresholdOf(scenario);
    for (const { attempt, interactions, average_scores, unfinished } of scenario.attempts) {
      const last = unfinished ? undefined : interactions.at(-1);
      let anyFailing = false;
      for (const interaction of interactions) {
        const missesOutcome: boolean =
          interaction === last && !anyFailing && isFailure(attemptOutcome(average_scores, threshold));
        const failing: boolean = missesOutcome || isFailure(turnOutcome(interaction, threshold));
        anyFailing ||= failing;
        yield { scenarioId: scenario.scenario_id, attempt, turn: interaction.turn_index, failing };
      }
    }
  }
}
