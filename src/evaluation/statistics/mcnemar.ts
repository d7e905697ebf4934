import { logGamma } from "./incomplete-beta.ts";
import { requireCounts } from "./require-counts.ts";

/**
 * McNemar's exact test (also the sign test): the p of so uneven a split of pairs that differ, when both directions are equally
 * likely. Pairs without a difference do not count; without any that differ p is 1.
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
