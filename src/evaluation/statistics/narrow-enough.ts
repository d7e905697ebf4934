import { allEqual } from "./mean.ts";
import { tInterval } from "./t-interval.ts";

/**
 * Whether the mean of these attempts is known well enough: the 95 % interval is at most this wide. Attempts that are all equal
 * leave nothing to learn from another; so do attempts without any value.
 */
export function narrowEnough(values: readonly number[], width: number): boolean {
  if (values.length === 0 || (values.length > 1 && allEqual(values))) return true;
  const interval = tInterval(values);
  return interval !== null && interval.upper - interval.lower <= width;
}
