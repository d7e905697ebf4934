import type { NoiseFloor } from "../../contract/schemas/comparison.ts";
import { defaultThreshold } from "../../contract/schemas/outcome.ts";
import type { Flakiness } from "../../contract/schemas/run.ts";
import type { Reliability } from "../../contract/schemas/scores/score.ts";
import type { Spread } from "./accumulators.ts";
import { mean, requireCounts, requirePart, standardDeviation } from "./descriptive.ts";
import { tQuantile } from "./distributions.ts";

/** Unbiased pass@k (at least one of k attempts passes) and pass^k (all pass) for k = 1 … attempts. Null without attempts. */
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

/** The mean of pass^k over scenarios, for the largest k that each of them has. Null when that is less than two. */
export function meanPassHatK(
  scenarios: readonly { readonly attempts: number; readonly passed: number }[],
): { k: number; mean: number; scenarios: number } | null {
  const judged = scenarios.filter(({ attempts }) => attempts > 0);
  const k = judged.reduce((least, { attempts }) => Math.min(least, attempts), Infinity);
  if (judged.length === 0 || k < 2) return null;
  const total = judged.reduce((sum, { attempts, passed }) => sum + allOf(attempts, passed, k), 0);
  return { k, mean: total / judged.length, scenarios: judged.length };
}

/** Probability that k attempts drawn without replacement from n, of which c passed, all passed: C(c,k) / C(n,k). */
function allOf(n: number, c: number, k: number): number {
  let chance = 1;
  for (let drawn = 0; drawn < k; drawn++) chance *= Math.max(0, c - drawn) / (n - drawn);
  return chance;
}

const maximumFlakyScenarios = 20;

/** Ranks scenarios by the variance between their attempts. Null when there is none. */
export function flakiness(scenarios: readonly (Spread & { readonly scenario_id: string })[]): Flakiness | null {
  const spread = scenarios.flatMap(({ scenario_id, variance, count }) =>
    variance === null ? [] : [{ scenario_id, variance, attempts: count }],
  );
  const total = spread.reduce((sum, { variance }) => sum + variance, 0);
  if (total === 0) return null;
  const ranked = spread
    .filter(({ variance }) => variance > 0)
    .toSorted((left, right) => right.variance - left.variance || (left.scenario_id < right.scenario_id ? -1 : 1))
    .map((entry) => ({ ...entry, share: entry.variance / total }));
  return { sentence: flakinessSentence(ranked, spread.length), scenarios: ranked.slice(0, maximumFlakyScenarios) };
}

/** Counts the scenarios that make at least 60 % of the variance. */
function flakinessSentence(ranked: readonly { share: number }[], scenarios: number): string {
  let share = 0;
  let count = 0;
  for (const entry of ranked) {
    share += entry.share;
    count++;
    if (share >= 0.6) break;
  }
  const noun = scenarios === 1 ? "scenario" : "scenarios";
  // 100 % only if no other scenario varies.
  const percent = count < ranked.length ? Math.min(99, Math.round(share * 100)) : 100;
  return `${count} of ${scenarios} ${noun} ${count === 1 ? "makes" : "make"} ${percent} % of the variance between attempts.`;
}

/**
 * How far two runs of the same target differ by chance, from the means of several such runs (A/A): t(0.975, runs - 1) · sd · √2.
 * Smaller differences between two runs are noise. Null below three runs, and when they do not vary.
 */
export function noiseFloor(values: readonly number[]): NoiseFloor {
  const sd = standardDeviation(values);
  const figures = { runs: values.length, mean: mean(values), sd };
  if (values.length < 3 || sd === null) return { ...figures, floor: null, method: "none: fewer than three runs" };
  if (sd === 0) return { ...figures, floor: null, method: `none: all ${values.length} runs have the same value` };
  const floor = tQuantile(0.975, values.length - 1) * sd * Math.SQRT2;
  return { ...figures, floor, method: `t over ${values.length} runs` };
}
