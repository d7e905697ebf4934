import type { Scores } from "../contract/score.ts";
import { reaches } from "../contract/threshold.ts";

/**
 * Whether an attempt passes: every turn got a reply and `overall` reaches the threshold. Null when it does not count: there was
 * nothing to judge. An attempt in which a turn failed does count: it did not pass.
 */
export function attemptPassed(average: Scores, threshold: number): boolean | null {
  const { overall, success } = average;
  if (success !== undefined && success < 1) return false;
  return overall === undefined ? null : reaches(overall, threshold);
}
