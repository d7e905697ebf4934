import { formatFigure } from "../../src/base/numbers.ts";
import { scoreLabel } from "../parts/runs/scores.ts";
import type { AttemptResult, ScenarioResult } from "../../src/contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../src/contract/schemas/interaction-result.ts";
import {
  brokenStatements,
  isFailure,
  outcomeOfAttempt,
  turnOutcome,
  type Outcome,
} from "../../src/contract/schemas/outcome.ts";

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
 * The scores that decide about a turn: `overall`, what the scenario states and did not see hold, and scores that failed. With a
 * threshold, the parts of `overall` that are below it; its reason names them: "reply 0.40 (chrf) and tools 0.00 (tool_match)".
 */
export function decidingScores(
  turn: Pick<InteractionResult, "scores" | "score_reasons" | "failed_scores" | "stated">,
  threshold: number | undefined,
): string[] {
  const { scores, score_reasons, failed_scores = [], stated = {} } = turn;
  const replied = scores["success"] === 0 ? ["success"] : [];
  if (threshold === undefined)
    return ["overall", ...replied, ...Object.keys(stated).filter((name) => stated[name] !== true), ...failed_scores];
  const parts = new Set((score_reasons["overall"] ?? "").match(/[\w.-]+/g));
  const low = Object.keys(scores).filter((name) => parts.has(name) && (scores[name] ?? 1) < threshold);
  return ["overall", ...replied, ...low, ...failed_scores];
}

/** Why a turn failed: what did not hold, or the score with enough digits to show that it is below the threshold. */
export function whyFailed(turn: Pick<InteractionResult, "scores" | "stated">, threshold: number | undefined): string {
  const overall = turn.scores["overall"] ?? 0;
  if (threshold === undefined) return brokenStatements(turn).map(scoreLabel).join(", ");
  const looksBelow = Number(formatFigure(overall)) < threshold;
  return `overall ${looksBelow ? "" : `${Math.floor(overall * 100_000) / 100_000} is `}below ${threshold}`;
}

/**
 * The outcome of a turn within its attempt. Where the attempt passes by what it brought about, a turn whose score is below the
 * threshold decides nothing, and is not called failed.
 */
export function outcomeInAttempt(
  turn: InteractionResult,
  { attempt, threshold }: { attempt: AttemptResult | undefined; threshold: number | undefined },
): Outcome {
  const outcome = turnOutcome(turn, threshold);
  const isMet = attempt?.average_scores["outcome"] === 1 && outcomeOfAttempt(attempt, threshold) === "passed";
  return outcome === "failed" && isMet ? "unscored" : outcome;
}

/**
 * Every turn with its verdict, in list order. An attempt that fails by its outcome alone counts as a failure at its last turn: the
 * outcome is shown below it.
 */
function* listTurns(scenarios: readonly ScenarioResult[]): Generator<TurnPosition & { failing: boolean }> {
  for (const scenario of scenarios) {
    const { threshold } = scenario;
    for (const result of scenario.attempts) {
      const { attempt, interactions, unfinished } = result;
      const last = unfinished ? undefined : interactions.at(-1);
      let anyFailing = false;
      for (const interaction of interactions) {
        const missesOutcome: boolean =
          interaction === last && !anyFailing && isFailure(outcomeOfAttempt(result, threshold));
        const failing: boolean =
          missesOutcome || isFailure(outcomeInAttempt(interaction, { attempt: result, threshold }));
        anyFailing ||= failing;
        yield { scenarioId: scenario.scenario_id, attempt, turn: interaction.turn_index, failing };
      }
    }
  }
}
