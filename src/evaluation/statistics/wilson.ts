import { defaultLevel, type Interval } from "./interval.ts";
import { normalQuantile } from "./normal-distribution.ts";

/** Wilson's interval of a share: honest for few trials and for shares at or near 0 and 1. Null without trials. */
export function wilson(successes: number, trials: number, level = defaultLevel): Interval | null {
  if (!(trials > 0)) return null;
  const z = normalQuantile((1 + level) / 2);
  const share = successes / trials;
  const scale = 1 + z ** 2 / trials;
  const center = (share + z ** 2 / (2 * trials)) / scale;
  const reach = (z / scale) * Math.sqrt((share * (1 - share)) / trials + z ** 2 / (4 * trials ** 2));
  // At the ends the bound is the end itself; rounding would leave it a hair off.
  return { lower: share === 0 ? 0 : center - reach, upper: share === 1 ? 1 : center + reach };
}
