import { tQuantile } from "./t-distribution.ts";

const power = 0.8;
const alpha = 0.05;
const maximumClusters = 1_000_000;

/**
 * How many standard errors an effect must be from 0 to be seen with 80 % power at the 5 % level, when it is one of so many that are
 * tested. Holm's correction sees at least what dividing the level by their number would.
 */
function reach(clusters: number, tests: number): number {
  return tQuantile(1 - alpha / tests / 2, clusters - 1) + tQuantile(power, clusters - 1);
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
