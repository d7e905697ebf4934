import { reaches } from "../../base/numbers.ts";
import type { Scores } from "./score.ts";
import type { ScenarioResult } from "./evaluation-response.ts";
import type { InteractionResult } from "./interaction-result.ts";

/** `errored`: a turn without a usable reply. `unscored`: there are replies, and nothing to measure them against. */
export type Outcome = "passed" | "failed" | "errored" | "unscored";

/** How an attempt that has ended went, by its averages: `success` below 1 means that a turn got no reply. */
export function attemptOutcome({ success = 1, overall }: Scores, threshold: number): Outcome {
  if (success < 1) return "errored";
  if (overall === undefined) return "unscored";
  return reaches(overall, threshold) ? "passed" : "failed";
}

/** How a turn went. */
export function turnOutcome(
  { scores, error }: Pick<InteractionResult, "scores" | "error">,
  threshold: number,
): Outcome {
  return error ? "errored" : attemptOutcome(scores, threshold);
}

/** Whether a turn has no `overall` because something that belongs to it could not be had. */
export function lacksOverall({ scores, failed_scores }: Pick<InteractionResult, "scores" | "failed_scores">): boolean {
  return failed_scores !== undefined && scores["overall"] === undefined;
}

/** Of what has not come to its end nothing is known yet. */
export const isFailure = (outcome: Outcome | "waiting" | "unfinished"): boolean =>
  outcome === "failed" || outcome === "errored";

/** The `overall` from which a turn is good and an attempt passes, where a run says nothing else. */
export const defaultThreshold = 0.8;

/** That of a run, from one of its scenarios. Results kept from an earlier release name it only where an attempt was judged. */
export const thresholdOf = ({ threshold, reliability }: Pick<ScenarioResult, "threshold" | "reliability">): number =>
  threshold ?? reliability?.threshold ?? defaultThreshold;
