import { tQuantile } from "./t-distribution.ts";

const power = 0.8;
const level = 0.95;
const maximumClusters = 1_000_000;

/** How many standard errors an effect must be from 0 to be seen with 80 % power at the 5 % level. */
function reach(clusters: number): number {
  return tQuantile((1 + level) / 2, clusters - 1) + tQuantile(power, clusters - 1);
}

/** The smallest effect so many scenarios can show, given the spread of the differences between scenarios. */
export function detectableEffect(clusters: number, deviation: number): number | null {
  return clusters < 2 ? null : (reach(clusters) * deviation) / Math.sqrt(clusters);
}

/** How many scenarios it takes to show an effect of this size at this spread; null when it would take more than a million. */
export function scenariosNeeded(effect: number, deviation: number): number | null {
  if (!(effect > 0)) return null;
  let enough = 2;
  while ((detectableEffect(enough, deviation) ?? 0) > effect) {
    enough *= 2;
    if (enough > maximumClusters) return null;
  }
  let tooFew = Math.max(1, enough / 2);
  while (enough - tooFew > 1) {
    const middle = Math.floor((enough + tooFew) / 2);
    if ((detectableEffect(middle, deviation) ?? Number.POSITIVE_INFINITY) > effect) tooFew = middle;
    else enough = middle;
  }
  return enough;
}
