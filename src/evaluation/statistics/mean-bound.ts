import { mean, standardDeviation } from "./descriptive.ts";

/**
 * The p value of "the mean is at most `at`" for values of unknown distribution, as if one more value had been drawn that is as
 * low as `unseen` (Gaffke 2005): the probability that a mean of all these values with random weights, uniform over all weights
 * that add up to 1, is at most `at`. With the lowest possible value as `unseen` the bound holds for every distribution, and for
 * 0/1 values it is the exact one of Clopper and Pearson.
 */
export function meanAtMostP(values: readonly number[], { unseen, at }: { unseen: number; at: number }): number {
  const counts = new Map<number, number>();
  for (const value of [...values, unseen]) counts.set(value, (counts.get(value) ?? 0) + 1);
  return weightedMeanBelow(counts, at);
}

/**
 * The probability that a mean of values with random weights is at most `at`. The weights have a Dirichlet distribution whose
 * parameters are the numbers of the values, which may be fractions.
 */
export function weightedMeanBelow(counts: ReadonlyMap<number, number>, at: number): number {
  const grouped = scaled(counts, at);
  if (grouped.every(([value]) => value >= 0)) return grouped.every(([value]) => value === 0) ? 1 : 0;
  if (grouped.every(([value]) => value <= 0)) return 1;
  return weightedSumBelowZero(grouped);
}

/** The lower end of the one-sided interval that belongs to {@link meanAtMostP}. */
export function lowerBoundOfMean(
  values: readonly number[],
  { unseen, level = 0.95 }: { unseen: number; level?: number },
): number {
  let low = Math.min(unseen, ...values);
  let high = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (high <= low) return low;
  for (let step = 0; step < 60 && high - low > 1e-9 * Math.max(1, Math.abs(low)); step++) {
    const middle = (low + high) / 2;
    if (meanAtMostP(values, { unseen, at: middle }) <= 1 - level) low = middle;
    else high = middle;
  }
  return low;
}

/** Standard deviations that the unseen value lies below the lowest of n. The factors are calibrated by simulation. */
export const unseenReach = (n: number, leftSkew: number): number => (20 + 20 * leftSkew) / n;

/** A value for what was not seen, from what was: few values of a skewed distribution rarely include its tail. */
export function plausibleUnseen(values: readonly number[]): number {
  const lowest = values.reduce((left, right) => Math.min(left, right), Number.POSITIVE_INFINITY);
  return lowest - unseenReach(values.length, leftSkewOf(values)) * (standardDeviation(values) ?? 0);
}

/** How far the values are skewed to the left; 0 when they are not. */
export function leftSkewOf(values: readonly number[]): number {
  const [center, deviation] = [mean(values) ?? 0, standardDeviation(values) ?? 0];
  if (deviation === 0) return 0;
  const cubes = values.reduce((sum, value) => sum + ((value - center) / deviation) ** 3, 0);
  return Math.max(0, -cubes / values.length);
}

type Grouped = readonly (readonly [value: number, count: number])[];

/** The distances of the values from `at` with their number, scaled to a sum of squares of 1. */
function scaled(counts: ReadonlyMap<number, number>, at: number): Grouped {
  let squares = 0;
  for (const [value, count] of counts) squares += count * (value - at) ** 2;
  const size = Math.sqrt(squares);
  return [...counts].map(([value, count]) => [size > 0 ? (value - at) / size : 0, count] as const);
}

const step = 0.08;
/** Left of this, the integrand is u Σ λ up to rounding. */
const from = -12;

/**
 * P(Σ λ E ≤ 0) for independent exponential E, since uniform weights are exponential values divided by their sum. By inversion of
 * the characteristic function Π 1 / (1 - iλu), with the trapezoidal rule over log u, which converges exponentially.
 */
function weightedSumBelowZero(grouped: Grouped): number {
  const single = Float64Array.from(grouped.flatMap(([value, count]) => (count === 1 ? value : [])));
  const repeated = grouped.filter(([, count]) => count !== 1);
  const total = grouped.reduce((sum, [value, count]) => sum + value * count, 0);
  let integral = (total * Math.exp(from - step)) / (1 - Math.exp(-step));
  for (let at = from; at < 60; at += step) {
    const u = Math.exp(at);
    // The product of 1 + iλu: its angle is that of the integrand, and its absolute value the inverse.
    let real = 1;
    let imaginary = 0;
    for (const value of single) {
      const z = value * u;
      const next = real - z * imaginary;
      imaginary += z * real;
      real = next;
    }
    let angle = Math.atan2(imaginary, real);
    let size = Math.log(real * real + imaginary * imaginary);
    for (const [value, count] of repeated) {
      const z = value * u;
      angle += count * Math.atan(z);
      size += count * Math.log1p(z * z);
    }
    // Also ends at an overflow of the product.
    if (!(size < 74)) break;
    integral += Math.sin(angle) * Math.exp(-size / 2);
  }
  return Math.min(1, Math.max(0, 0.5 - (integral * step) / Math.PI));
}
