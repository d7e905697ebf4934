import { incompleteBeta, logGamma } from "./incomplete-beta.ts";

/** Chance of a value at least as far from 0 as t on either side: the p of a two-sided t test. */
export function twoSidedP(t: number, degrees: number): number {
  return incompleteBeta(degrees / (degrees + t * t), degrees / 2, 0.5);
}

function density(t: number, degrees: number): number {
  const scale = logGamma((degrees + 1) / 2) - logGamma(degrees / 2) - 0.5 * Math.log(degrees * Math.PI);
  return Math.exp(scale - ((degrees + 1) / 2) * Math.log1p((t * t) / degrees));
}

/** Quantiles found last: the scores of all scenarios of a run have the same few degrees of freedom. */
const found = new Map<string, number>();
const mostFound = 100;

/** The t below which a value of Student's distribution is with chance p; 2.26216 for 0.975 and 9 degrees of freedom. */
export function tQuantile(p: number, degrees: number): number {
  if (!(p > 0 && p < 1) || !(degrees > 0)) return Number.NaN;
  if (p < 0.5) return -tQuantile(1 - p, degrees);
  const key = `${p} ${degrees}`;
  const known = found.get(key);
  if (known !== undefined) return known;
  if (found.size >= mostFound) found.clear();
  const t = findQuantile(p, degrees);
  found.set(key, t);
  return t;
}

function findQuantile(p: number, degrees: number): number {
  // Right of 0 the curve bends downwards, so Newton's steps from 0 approach the root from one side and never overshoot it.
  let t = 0;
  for (let step = 0; step < 200; step++) {
    const below = 1 - twoSidedP(t, degrees) / 2;
    const next = t + (p - below) / density(t, degrees);
    if (!(next - t > 1e-13 * (1 + t))) return next;
    t = next;
  }
  return t;
}
