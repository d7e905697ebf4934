import { logGamma } from "./incomplete-beta.ts";
import { normalCdf } from "./normal-distribution.ts";
import { tQuantile } from "./t-distribution.ts";

const power = 0.8;
const alpha = 0.05;
const maximumClusters = 1_000_000;

/** Reaches found last: the scores of a comparison have the same few numbers of scenarios. */
const found = new Map<string, number>();
const mostFound = 200;

/**
 * How many standard errors an effect must be from 0 to be seen with 80 % power at the 5 % level, when it is one of so many that are
 * tested. Holm's correction sees at least what dividing the level by their number would.
 */
function reach(clusters: number, tests: number): number {
  const key = `${clusters} ${tests}`;
  const known = found.get(key);
  if (known !== undefined) return known;
  if (found.size >= mostFound) found.clear();
  const value = findReach(tQuantile(1 - alpha / tests / 2, clusters - 1), clusters - 1);
  found.set(key, value);
  return value;
}

/** Where the chance to pass the critical value is the power, by the secant method from the sum of the quantiles, which is close. */
function findReach(critical: number, degrees: number): number {
  const passed = createPassing(critical, degrees);
  let before = critical + tQuantile(power, degrees);
  let effect = before * 1.01;
  let missed = passed(before) - power;
  for (let step = 0; step < 50 && Math.abs(effect - before) > 1e-9 * effect; step++) {
    const left = passed(effect) - power;
    if (left === missed) break;
    const next = effect - (left * (effect - before)) / (left - missed);
    before = effect;
    effect = next;
    missed = left;
  }
  return effect;
}

/**
 * The chance that an effect of so many standard errors passes the critical value: that of the noncentral t distribution, as the mean
 * over what the standard error may be estimated at (a chi distribution), by Simpson's rule. That it passes on the wrong side does
 * not count: at this power it happens less than once in a million times.
 */
function createPassing(critical: number, degrees: number): (effect: number) => number {
  const reachOfSpread = 8 / Math.sqrt(2 * degrees);
  const from = Math.max(0, 1 - reachOfSpread);
  // With few degrees of freedom the critical value is large, and the chance falls from 1 to 0 within a short stretch.
  const steps = degrees < 10 ? 2_000 : 80;
  const width = (1 + reachOfSpread - from) / steps;
  const scale = Math.LN2 + (degrees / 2) * Math.log(degrees / 2) - logGamma(degrees / 2);
  const places = Array.from({ length: steps + 1 }, (_, index) => {
    const at = from + index * width;
    const density = Math.exp(scale + (degrees === 1 ? 0 : (degrees - 1) * Math.log(at)) - (degrees * at * at) / 2);
    const weight = index === 0 || index === steps ? 1 : index % 2 === 1 ? 4 : 2;
    return { at, share: (density * weight * width) / 3 };
  });
  return (effect) => places.reduce((sum, { at, share }) => sum + share * normalCdf(effect - critical * at), 0);
}

/** The smallest effect so many scenarios can show, given the spread of the differences between scenarios and how many scores are tested. */
export function detectableEffect(clusters: number, deviation: number, tests = 1): number | null {
  return clusters < 2 ? null : (reach(clusters, tests) * deviation) / Math.sqrt(clusters);
}

/** How many scenarios it takes to show an effect of this size at this spread; null when it would take more than a million. */
export function scenariosNeeded(effect: number, deviation: number, tests = 1): number | null {
  if (!(effect > 0)) return null;
  const detectable = (clusters: number) => detectableEffect(clusters, deviation, tests) ?? Number.POSITIVE_INFINITY;
  let enough = 2;
  while (detectable(enough) > effect) {
    enough *= 2;
    if (enough > maximumClusters) return null;
  }
  let tooFew = Math.max(1, enough / 2);
  while (enough - tooFew > 1) {
    const middle = Math.floor((enough + tooFew) / 2);
    if (detectable(middle) > effect) tooFew = middle;
    else enough = middle;
  }
  return enough;
}
