import type { Reliability } from "../../contract/schemas/score.ts";
import { defaultThreshold } from "../../contract/schemas/outcome.ts";
import { requireCounts, requirePart } from "./require-counts.ts";

/** Chance that k attempts drawn without replacement out of n, c of which passed, all passed: C(c,k) / C(n,k). */
function allOf(n: number, c: number, k: number): number {
  let chance = 1;
  for (let drawn = 0; drawn < k; drawn++) chance *= Math.max(0, c - drawn) / (n - drawn);
  return chance;
}

/** Unbiased pass@k (at least one of k passes) and pass^k (every one does) for k = 1 … attempts. Null without attempts. */
export function reliability(attempts: number, passed: number, threshold = defaultThreshold): Reliability | null {
  requireCounts({ attempts, passed });
  requirePart("passed", passed, attempts);
  if (attempts === 0) return null;
  const sizes = Array.from({ length: attempts }, (_, index) => index + 1);
  return {
    threshold,
    attempts,
    passed,
    pass_at_k: sizes.map((k) => 1 - allOf(attempts, attempts - passed, k)),
    pass_hat_k: sizes.map((k) => allOf(attempts, passed, k)),
  };
}
