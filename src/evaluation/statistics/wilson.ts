import { defaultLevel, type Interval } from "./interval.ts";
import { normalQuantile } from "./normal-distribution.ts";
import { requirePart } from "./require-counts.ts";

/** Wilson's interval of a share: honest for few trials and for shares at or near 0 and 1. Null without trials. */
export function wilson(successes: number, trials: number, level = defaultLevel): Interval | null {
  requirePart("successes", successes, trials);
  if (trials === 0) return null;
  return wilsonOf({ share: successes / trials, trials, reach: normalQuantile((1 + level) / 2) });
}

/** The same from a share, and from how many standard errors it may be off. */
export function wilsonOf({ share, trials, reach }: { share: number; trials: number; reach: number }): Interval {
  const scale = 1 + reach ** 2 / trials;
  const center = (share + reach ** 2 / (2 * trials)) / scale;
  const half = (reach / scale) * Math.sqrt((share * (1 - share)) / trials + reach ** 2 / (4 * trials ** 2));
  // At the ends the bound is the end itself; rounding would leave it a hair off.
  return { lower: share === 0 ? 0 : center - half, upper: share === 1 ? 1 : center + half };
}
