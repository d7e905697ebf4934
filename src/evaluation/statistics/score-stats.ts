import type { ScoreStats } from "../../contract/schemas/scores/score.ts";
import { allEqual, mean, standardDeviation } from "./descriptive.ts";
import { tQuantile } from "./distributions.ts";
import { meanInterval, scoreScale } from "./mean-interval.ts";
import { clusterInterval, defaultLevel, wilson, wilsonOfShare, withinScores, type Interval } from "./intervals.ts";

export interface ScoreStatsOptions {
  /** The values are averages of attempts within a scenario, or of scenarios within a run. */
  readonly unit: "attempt" | "scenario";
  /** True when the score is 0 or 1 for every reply. */
  readonly binary: boolean;
  /** For a 0/1 score, the number of replies the values are proportions of, if known. */
  readonly replies?: number | undefined;
  readonly n_missing: number;
}

/**
 * Mean and confidence interval of independent averages: Student's interval, over scenarios no narrower than with values that were not
 * seen, or Wilson's for 0/1 scores, with Student's t for proportions of several replies. Otherwise no interval, and `method` says why.
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

const proportionMethod = "wilson";

/** True for the `method` of an interval of proportions. */
export const isProportionMethod = (method: string): boolean => method.startsWith(proportionMethod);

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
    return { interval: wilson(mean * n, n), method: `${proportionMethod} ${counted}` };
  }
  if (!interval) return { interval: null, method: `none: all ${n} ${unit}s have the same value` };
  if (binary)
    return { interval: clusteredWilson(values, { trials: replies }), method: `${proportionMethod} with t ${counted}` };
  // Attempts of one scenario are too few to tell how it varies.
  if (unit === "attempt") return { interval: withinScores(interval), method: `t ${counted}` };
  return { interval: meanInterval(values, scoreScale), method: `t and Bayesian bootstrap ${counted}` };
}

/**
 * Wilson's interval of a proportion whose trials come in clusters (the replies of a scenario), from the share of each cluster:
 * the effective sample size of Korn and Graubard (1998), capped at the number of trials, with Student's t for few clusters
 * (Dean and Pagano 2015). Near 0 and 1 the symmetric Student's interval would be too narrow. Null without variation.
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
  return wilsonOfShare({ share, trials: Math.min(trials, effective), reach });
}
