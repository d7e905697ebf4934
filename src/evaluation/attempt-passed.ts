import type { Scores } from "../contract/score.ts";

/**
 * Whether an attempt passes: every turn got a reply and `overall` reaches the threshold. Null when it does not count: there was
 * nothing to judge. An attempt whose turns all failed does count: it did not pass.
 */
export function attemptPassed(average: Scores, threshold: number): boolean | null {
  const overall = average["overall"];
  if (overall === undefined) return average["success"] === 0 ? false : null;
  return overall >= threshold && average["success"] === 1;
}
