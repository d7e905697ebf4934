import type { ScoreStats } from "../../contract/schemas/score.ts";
import type { Interval } from "./interval.ts";
import { wilson } from "./wilson.ts";

/**
 * Values that are all 1, or all 0, have no spread to make an interval from, but they bound the mean: nothing within 0 and 1 gives
 * ones alone more often than what is 0 or 1, so Wilson's interval holds. Without it a run that is right throughout would not pass.
 * null for other values.
 */
export function intervalOfEqual({ n, sd, mean }: ScoreStats): Interval | null {
  const end = Math.round(mean ?? 0);
  if (n < 2 || sd !== 0 || mean === null || Math.abs(mean - end) > 1e-12) return null;
  return wilson(end * n, n);
}
