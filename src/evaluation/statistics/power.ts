import { alpha } from "../../base/numbers.ts";
import { logGamma, normalCdf, normalQuantile, tQuantile } from "./distributions.ts";

const power = 0.8;
const maximumClusters = 1_000_000;

/** The smallest effect that so many scenarios can show, given the standard deviation of their differences and the number of tests. */
export function detectableEffect(clusters: number, deviation: number, tests = 1): number | null {
  return clusters < 2 ? null : (detectableErrors(clusters, tests) * deviation) / Math.sqrt(clusters);
}

/**
 * The smallest gain of a score that so many scenarios can show: also rare failures that they may not have shown must be outweighed.
 * An approximation of the interval with half a value at each end of the scale.
 */
export function detectableGain(clusters: number, deviation: number, tests = 1): number | null {
  const student = detectableEffect(clusters, deviation, tests);
  if (student === null) return null;
  const error = deviation / Math.sqrt(clusters);
  const chance = alpha / tests / 2;
  // The quantile of the weight of half a value, in scenarios.
  const rare = normalQuantile(1 - chance / 2) ** 2 / 2 / (clusters + 1);
  const critical = tQuantile(1 - chance, clusters - 1) * error;
  return student + ((Math.hypot(critical, rare) - critical) * (clusters + 1)) / clusters;
}

/** Scenarios needed to show an effect of this size; null above a million. `detectable` is the smallest that so many can show. */
export function scenariosNeeded(
  effect: number,
  deviation: number,
  tests = 1,
  detectable: typeof detectableEffect = detectableEffect,
): number | null {
  if (!(effect > 0)) return null;
  const detectableWith = (clusters: number) => detectable(clusters, deviation, tests) ?? Number.POSITIVE_INFINITY;
  let enough = 2;
  while (detectableWith(enough) > effect) {
    enough *= 2;
    if (enough > maximumClusters) return null;
  }
  let tooFew = Math.max(1, enough / 2);
  while (enough - tooFew > 1) {
    const middle = Math.floor((enough + tooFew) / 2);
    if (detectableWith(middle) > effect) tooFew = middle;
    else enough = middle;
  }
  return enough;
}

/** Cached because the scores of a comparison share a few numbers of scenarios. */
const knownErrors = new Map<string, number>();
const maximumCached = 200;

/**
 * The effect, in standard errors, that is detected with 80 % power at the 5 % level as one of `tests`. The level is divided by
 * their number (Bonferroni); Holm's method detects at least as much.
 */
function detectableErrors(clusters: number, tests: number): number {
  const key = `${clusters} ${tests}`;
  const known = knownErrors.get(key);
  if (known !== undefined) return known;
  if (knownErrors.size >= maximumCached) knownErrors.clear();
  const value = solveForPower(tQuantile(1 - alpha / tests / 2, clusters - 1), clusters - 1);
  knownErrors.set(key, value);
  return value;
}

/** Solves for the effect with the wanted power, by the secant method from the sum of the quantiles. */
function solveForPower(critical: number, degrees: number): number {
  const powerAt = createPowerFunction(critical, degrees);
  let before = critical + tQuantile(power, degrees);
  let effect = before * 1.01;
  let missed = powerAt(before) - power;
  for (let step = 0; step < 50 && Math.abs(effect - before) > 1e-9 * effect; step++) {
    const left = powerAt(effect) - power;
    if (left === missed) break;
    const next = effect - (left * (effect - before)) / (left - missed);
    before = effect;
    effect = next;
    missed = left;
  }
  return effect;
}

/**
 * The probability that an effect of so many standard errors exceeds the critical value: the noncentral t distribution, as a mean
 * over the estimated standard error (a chi distribution), by Simpson's rule. The opposite tail is ignored: below 1e-6 at this power.
 */
function createPowerFunction(critical: number, degrees: number): (effect: number) => number {
  const halfWidth = 8 / Math.sqrt(2 * degrees);
  const from = Math.max(0, 1 - halfWidth);
  // With few degrees of freedom the critical value is large, and the integrand falls from 1 to 0 within a short stretch.
  const steps = degrees < 10 ? 2_000 : 80;
  const width = (1 + halfWidth - from) / steps;
  const scale = Math.LN2 + (degrees / 2) * Math.log(degrees / 2) - logGamma(degrees / 2);
  const points = Array.from({ length: steps + 1 }, (_, index) => {
    const at = from + index * width;
    const density = Math.exp(scale + (degrees === 1 ? 0 : (degrees - 1) * Math.log(at)) - (degrees * at * at) / 2);
    const weight = index === 0 || index === steps ? 1 : index % 2 === 1 ? 4 : 2;
    return { at, share: (density * weight * width) / 3 };
  });
  return (effect) => points.reduce((sum, { at, share }) => sum + share * normalCdf(effect - critical * at), 0);
}
