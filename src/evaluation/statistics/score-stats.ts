import type { ScoreStats } from "../../contract/schemas/score.ts";
import { clusterInterval } from "./cluster-interval.ts";
import { defaultLevel, withinScores, type Interval } from "./interval.ts";
import { allEqual, mean, standardDeviation } from "./mean.ts";
import { tQuantile } from "./t-distribution.ts";
import { wilson, wilsonOf } from "./wilson.ts";

export interface ScoreStatsOptions {
  /** What one value stands for: the averages of attempts within a scenario, or of scenarios within a run. */
  readonly unit: "attempt" | "scenario";
  /** True for a score that is 0 or 1 for every single reply. */
  readonly binary: boolean;
  /** Single replies that the values of a 0/1 score are shares of, where that is known. */
  readonly replies?: number | undefined;
  readonly n_missing: number;
}

/**
 * How sure the mean of independent averages is. A spread gives Student's interval (over scenarios, that is the cluster-robust one);
 * 0/1 scores Wilson's, with Student's t where they are shares of several replies; otherwise there is none, and `method` says why.
 */
export function scoreStats(
  values: readonly number[],
  { unit, binary, replies, n_missing }: ScoreStatsOptions,
): ScoreStats {
  const [only] = values;
  if (only !== undefined && values.length === 1) return statsOfOne(only, { unit, n_missing });
  const { mean, stderr, interval } = clusterInterval(values.map((value) => ({ sum: value, count: 1 })));
  const chosen = chooseInterval(values, { unit, binary, replies, interval, mean: mean ?? 0 });
  return {
    n: values.length,
    n_missing,
    mean,
    min: values.length === 0 ? null : values.reduce((left, right) => Math.min(left, right)),
    sd: standardDeviation(values),
    stderr,
    ci_lower: chosen.interval?.lower ?? null,
    ci_upper: chosen.interval?.upper ?? null,
    method: chosen.method,
  };
}

/** One value says nothing of how others would be. */
function statsOfOne(value: number, { unit, n_missing }: Pick<ScoreStatsOptions, "unit" | "n_missing">): ScoreStats {
  return {
    n: 1,
    n_missing,
    mean: value,
    min: value,
    sd: null,
    stderr: null,
    ci_lower: null,
    ci_upper: null,
    method: `none: one ${unit} only`,
  };
}

const ofShares = "wilson";

/** Whether an interval that was made here is that of a share of replies. */
export const isShareMethod = (method: string): boolean => method.startsWith(ofShares);

function chooseInterval(
  values: readonly number[],
  {
    unit,
    binary,
    replies,
    interval,
    mean,
  }: Pick<ScoreStatsOptions, "unit" | "binary" | "replies"> & { interval: Interval | null; mean: number },
): { interval: Interval | null; method: string } {
  const n = values.length;
  if (n === 0) return { interval: null, method: "none: no values" };

  const counted = `over ${n} ${unit}s`;
  if (binary && (allEqual(values) || values.every((value) => value === 0 || value === 1))) {
    return { interval: wilson(mean * n, n), method: `${ofShares} ${counted}` };
  }
  if (!interval) return { interval: null, method: `none: all ${n} ${unit}s have the same value` };
  if (binary)
    return { interval: clusteredWilson(values, { trials: replies }), method: `${ofShares} with t ${counted}` };
  return { interval: withinScores(interval), method: `t ${counted}` };
}

/**
 * Wilson's interval of a share whose trials come in clusters (the replies of a scenario), from the share of each cluster. It counts
 * as many independent trials as would leave the share as unsure as the clusters do, never more than were made, and has Student's t
 * for few clusters (the effective size of Korn and Graubard 1998 in Wilson's interval, as in Dean and Pagano 2015). Near 0 and 1 it
 * reaches further to the middle than Student's, which is even on both sides and would be too sure there. Null without spread.
 */
function clusteredWilson(
  shares: readonly number[],
  { trials = Number.POSITIVE_INFINITY }: { trials?: number | undefined } = {},
): Interval | null {
  const share = mean(shares);
  const deviation = standardDeviation(shares);
  if (share === null || deviation === null || deviation === 0) return null;
  const effective = (share * (1 - share) * shares.length) / deviation ** 2;
  const reach = tQuantile((1 + defaultLevel) / 2, shares.length - 1);
  return wilsonOf({ share, trials: Math.min(trials, effective), reach });
}
