import { requireCounts } from "./descriptive.ts";
import { logGamma } from "./distributions.ts";

/**
 * McNemar's exact test, also known as the sign test: the p value of the split of the pairs that differ. It is 1 when none
 * differ.
 */
export function mcnemar(firstOnly: number, secondOnly: number): number {
  requireCounts({ firstOnly, secondOnly });
  const n = firstOnly + secondOnly;
  const fewer = Math.min(firstOnly, secondOnly);
  let tail = 0;
  for (let k = 0; k <= fewer; k++) {
    tail += Math.exp(logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1) - n * Math.LN2);
  }
  return Math.min(1, 2 * tail);
}

/** p values adjusted by Holm's method, in the order given: controls the chance of any false positive. */
export function holm(pValues: readonly number[]): number[] {
  const ascending = pValues.map((p, index) => ({ p, index })).toSorted((left, right) => left.p - right.p);
  const adjusted: number[] = Array.from({ length: pValues.length }, () => 1);
  let highest = 0;
  for (const [rank, { p, index }] of ascending.entries()) {
    highest = Math.max(highest, Math.min(1, p * (pValues.length - rank)));
    adjusted[index] = highest;
  }
  return adjusted;
}

/** {@link holm} over the tests that have a p value; the others stay null. */
export function adjustPValues(pValues: readonly (number | null)[]): (number | null)[] {
  const tested = pValues.flatMap((p, index) => (p === null ? [] : [{ p, index }]));
  const corrected = holm(tested.map(({ p }) => p));
  const adjusted: (number | null)[] = pValues.map(() => null);
  tested.forEach(({ index }, rank) => (adjusted[index] = corrected[rank] ?? null));
  return adjusted;
}

/**
 * p values adjusted by Hochberg's method, in the order given: controls the chance of any false positive for tests that are
 * independent or positively dependent. All tests together pass if the largest p value does, without a correction.
 */
export function hochberg(pValues: readonly number[]): number[] {
  const descending = pValues.map((p, index) => ({ p, index })).toSorted((left, right) => right.p - left.p);
  const adjusted: number[] = Array.from({ length: pValues.length }, () => 1);
  let lowest = 1;
  for (const [rank, { p, index }] of descending.entries()) {
    lowest = Math.min(lowest, p * (rank + 1));
    adjusted[index] = lowest;
  }
  return adjusted;
}
