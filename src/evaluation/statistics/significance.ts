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
  return stepDown(pValues).map(({ adjusted }) => adjusted);
}

/** One of several tests, adjusted by Holm's method. */
interface AdjustedTest {
  readonly p_adjusted: number | null;
  /** Confidence level of the interval that excludes 0 exactly when `p_adjusted` is below `alpha`. */
  readonly level: number;
}

/** {@link holm} over the tests that have a p value; the others have no adjusted one. */
export function adjustTests(pValues: readonly (number | null)[], alpha: number): AdjustedTest[] {
  const steps = stepDown(pValues.filter((p) => p !== null)).values();
  return pValues.map((p): AdjustedTest => {
    const step = p === null ? undefined : steps.next().value;
    return step
      ? { p_adjusted: step.adjusted, level: 1 - alpha / step.factor }
      : { p_adjusted: null, level: 1 - alpha };
  });
}

/** The adjusted p values, each with the factor its test was made stricter by. */
function stepDown(pValues: readonly number[]): { adjusted: number; factor: number }[] {
  const ascending = pValues.map((p, index) => ({ p, index })).toSorted((left, right) => left.p - right.p);
  const steps = pValues.map(() => ({ adjusted: 1, factor: 1 }));
  let highest = 0;
  for (const [rank, { p, index }] of ascending.entries()) {
    const remaining = pValues.length - rank;
    highest = Math.max(highest, Math.min(1, p * remaining));
    // A smaller p value that fails its own test pulls this one up with it.
    steps[index] = { adjusted: highest, factor: p > 0 ? Math.max(remaining, highest / p) : remaining };
  }
  return steps;
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
