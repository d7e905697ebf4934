import { reaches } from "../../base/numbers.ts";
import type { Scores } from "./score.ts";
import type { ScenarioResult } from "./evaluation-response.ts";
import type { InteractionResult } from "./interaction-result.ts";

/** `errored`: a turn has no usable reply. `unscored`: there are replies, but nothing to measure them against. */
export type Outcome = "passed" | "failed" | "errored" | "unscored";

/** The score that every attempt of a scenario with `expect` has, also when its outcome could not be decided. */
export const expectationScore = "outcome.replies";

/**
 * The outcome of a finished attempt by its averages. A `success` below 1 means that a turn got no reply. Where the scenario has
 * `expect`, the score `outcome` decides instead of `overall`.
 */
export function attemptOutcome(scores: Scores, threshold: number): Outcome {
  const { success = 1, overall, outcome } = scores;
  if (success < 1) return "errored";
  if (scores[expectationScore] !== undefined) {
    return outcome === undefined ? "unscored" : outcome === 1 ? "passed" : "failed";
  }
  if (overall === undefined) return "unscored";
  return reaches(overall, threshold) ? "passed" : "failed";
}

/** The outcome of one turn. */
export function turnOutcome(
  { scores, error }: Pick<InteractionResult, "scores" | "error">,
  threshold: number,
): Outcome {
  return error ? "errored" : attemptOutcome(scores, threshold);
}

/** True when a turn has no `overall` because one of its scores failed. */
export function lacksOverall({ scores, failed_scores }: Pick<InteractionResult, "scores" | "failed_scores">): boolean {
  return failed_scores !== undefined && scores["overall"] === undefined;
}

/** False for waiting and unfinished attempts: their outcome is not known yet. */
export const isFailure = (outcome: Outcome | "waiting" | "unfinished"): boolean =>
  outcome === "failed" || outcome === "errored";

/** Minimum `overall` of a good turn and a passed attempt, unless the run sets another. */
export const defaultThreshold = 0.8;

/** The threshold of a run, read from one of its scenarios. Results of earlier releases have it only when an attempt was judged. */
export const thresholdOf = ({ threshold, reliability }: Pick<ScenarioResult, "threshold" | "reliability">): number =>
  threshold ?? reliability?.threshold ?? defaultThreshold;
