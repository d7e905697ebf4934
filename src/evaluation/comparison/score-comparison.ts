import type { Verdict } from "../../contract/schemas/comparison.ts";
import type { ScoreDifference } from "./compare-score.ts";

/** How one score of the candidate differs from the baseline's, as one of all the scores that were looked at. */
export interface ScoreComparison extends Omit<ScoreDifference, "deviation" | "widest"> {
  /** The smallest difference this many scenarios show in four of five cases; null when no difference of scores is so large. */
  readonly detectable_effect: number | null;
  /** Scenarios that show a difference of `smallestEffect` in four of five cases, at the spread seen here. */
  readonly scenarios_needed: number | null;
  /** Corrected (Holm) for having looked at several scores. */
  readonly p_adjusted: number | null;
  readonly verdict: Verdict;
  readonly sentence: string;
}
