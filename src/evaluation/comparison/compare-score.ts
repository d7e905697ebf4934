import { clusterInterval } from "../statistics/cluster-interval.ts";
import { withinDifferences } from "../statistics/interval.ts";
import { mcnemar } from "../statistics/mcnemar.ts";
import { allEqual, standardDeviation } from "../statistics/mean.ts";
import { twoSidedP } from "../statistics/t-distribution.ts";
import type { ScenarioPair } from "./pair-runs.ts";

/** How one score of the candidate differs from the baseline's, before the correction for looking at several scores. */
export interface ScoreDifference {
  readonly name: string;
  readonly baseline: number;
  readonly candidate: number;
  /** Mean over scenarios of candidate - baseline. */
  readonly effect: number;
  readonly ci_lower: number | null;
  readonly ci_upper: number | null;
  readonly p: number | null;
  readonly scenarios: number;
  readonly interactions: number;
  readonly scenarios_better: number;
  readonly scenarios_worse: number;
  /** Standard deviation of the scenarios' differences; null below two scenarios. */
  readonly deviation: number | null;
  /** The largest difference there can be: 1, unless the values are no scores. */
  readonly widest: number;
  readonly method: string;
}

/** Differences below this are rounding. */
const rounding = 1e-12;

/**
 * Paired by scenario: the difference within each scenario is one value, since attempts and turns of a scenario resemble each other.
 * Student's t over scenarios; where every scenario differs by the same amount, the sign test.
 */
export function compareScore(name: string, pairs: readonly ScenarioPair[]): ScoreDifference {
  const differences = pairs.map(({ baseline, candidate }) => candidate - baseline);
  const { mean, stderr, clusters, interval: wide } = clusterInterval(differences.map((sum) => ({ sum, count: 1 })));
  const areScores = pairs.every(isScored);
  const interval = wide && areScores ? withinDifferences(wide) : wide;
  const effect = Math.abs(mean ?? 0) < rounding ? 0 : (mean ?? 0);
  const better = differences.filter((difference) => difference > rounding).length;
  const worse = differences.filter((difference) => difference < -rounding).length;
  const average = (side: "baseline" | "candidate") => pairs.reduce((sum, pair) => sum + pair[side], 0) / pairs.length;
  const tested =
    interval && stderr
      ? { p: twoSidedP(effect / stderr, clusters - 1), method: `t over ${clusters} scenarios` }
      : bySign();

  function bySign(): { p: number | null; method: string } {
    if (clusters < 2) return { p: null, method: "none: one scenario only" };
    if (allEqual([...differences, 0])) return { p: null, method: "none: no scenario differs" };
    return { p: mcnemar(better, worse), method: `sign test over ${clusters} scenarios` };
  }

  return {
    name,
    baseline: average("baseline"),
    candidate: average("candidate"),
    effect,
    ci_lower: interval?.lower ?? null,
    ci_upper: interval?.upper ?? null,
    ...tested,
    scenarios: clusters,
    interactions: pairs.reduce((sum, pair) => sum + pair.interactions, 0),
    scenarios_better: better,
    scenarios_worse: worse,
    deviation: standardDeviation(differences),
    widest: areScores ? 1 : Number.POSITIVE_INFINITY,
  };
}

/** Within 0..1, as every score of ours is. */
const isScored = ({ baseline, candidate }: ScenarioPair): boolean =>
  Math.min(baseline, candidate) >= -rounding && Math.max(baseline, candidate) <= 1 + rounding;
