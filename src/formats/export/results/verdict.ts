import type { AttemptResult, ScenarioResult } from "../../../contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../../contract/schemas/interaction-result.ts";
import {
  attemptOutcome,
  isFailure,
  lacksOverall,
  thresholdOf,
  turnOutcome,
} from "../../../contract/schemas/outcome.ts";

/**
 * The result of a scenario. `error`: every attempt has a turn without a usable reply, or one that could not be scored. `unscored`:
 * there is nothing to compare with. `not_run`: no attempt finished before the run ended.
 */
export interface ScenarioVerdict {
  readonly outcome: "passed" | "failed" | "error" | "unscored" | "not_run";
  readonly threshold: number;
  readonly passed: number;
  readonly counted: number;
  /** Attempts that finished, out of those that are listed. */
  readonly run: number;
  readonly planned: number;
}

/** A scenario passes if every attempt passes. */
export function verdictOf(result: ScenarioResult): ScenarioVerdict {
  const threshold = thresholdOf(result);
  const ended = result.attempts.filter(({ interactions, unfinished }) => interactions.length > 0 && !unfinished);
  const outcomes = ended.map(({ average_scores }) => attemptOutcome(average_scores, threshold));
  const counted = outcomes.filter((outcome) => outcome !== "unscored");
  const passed = counted.filter((outcome) => outcome === "passed").length;
  const figures = {
    threshold,
    passed,
    counted: counted.length,
    run: ended.length,
    planned: result.attempts.length,
  };
  if (ended.length === 0) return { outcome: "not_run", ...figures };
  if (counted.length === 0) return { outcome: ended.some(hasFailedScores) ? "error" : "unscored", ...figures };
  if (passed === counted.length) return { outcome: "passed", ...figures };
  return { outcome: counted.every((outcome) => outcome === "errored") ? "error" : "failed", ...figures };
}

const hasFailedScores = ({ interactions }: AttemptResult): boolean => interactions.some(lacksOverall);

interface BadTurn {
  readonly attempt: number;
  readonly interaction: InteractionResult;
}

const overallOf = ({ scores }: InteractionResult): number => scores["overall"] ?? 0;

/** The first bad turn of the worst attempt. */
export function worstTurn(result: ScenarioResult, threshold: number): BadTurn | undefined {
  const worth = ({ average_scores }: AttemptResult): number =>
    (average_scores["success"] ?? 0) * (1 + (average_scores["overall"] ?? 0));
  const begun = result.attempts.filter(({ interactions }) => interactions.length > 0);
  const [worst] = begun.toSorted((left, right) => worth(left) - worth(right));
  const bad = worst?.interactions.find((turn) => isFailure(turnOutcome(turn, threshold)));
  const lowest = worst?.interactions.toSorted((left, right) => overallOf(left) - overallOf(right))[0];
  const interaction = bad ?? lowest;
  return worst && interaction && { attempt: worst.attempt, interaction };
}
