import { defaultLevel, type Interval } from "./interval.ts";
import { mean, standardDeviation } from "./mean.ts";
import { tQuantile } from "./t-distribution.ts";

/** Interval of a mean from its standard error. */
export function tIntervalOf(
  { center, stderr, degrees }: { center: number; stderr: number; degrees: number },
  level = defaultLevel,
): Interval {
  const reach = tQuantile((1 + level) / 2, degrees) * stderr;
  return { lower: center - reach, upper: center + reach };
}

/** Student's interval of the mean of independent values. Null below two values and when all are equal: there is no spread to go by. */
export function tInterval(values: readonly number[], level = defaultLevel): Interval | null {
  const center = mean(values);
  const deviation = standardDeviation(values);
  if (center === null || deviation === null || deviation === 0) return null;
  return tIntervalOf({ center, stderr: deviation / Math.sqrt(values.length), degrees: values.length - 1 }, level);
}
