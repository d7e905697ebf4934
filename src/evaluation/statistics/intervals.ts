import type { ScoreStats } from "../../contract/schemas/scores/score.ts";
import { mean, requirePart, standardDeviation } from "./descriptive.ts";
import { normalQuantile, tQuantile } from "./distributions.ts";

/** A confidence interval. */
export interface Interval {
  readonly lower: number;
  readonly upper: number;
}

export const defaultLevel = 0.95;

/** Clips an interval to the range of scores, 0..1. */
export function withinScores({ lower, upper }: Interval): Interval {
  return { lower: Math.max(0, lower), upper: Math.min(1, upper) };
}

/** Clips an interval to the range of differences between scores, -1..1. */
export function withinDifferences({ lower, upper }: Interval): Interval {
  return { lower: Math.max(-1, lower), upper: Math.min(1, upper) };
}

/** Student's interval of a mean from its standard error. */
export function tIntervalOfMean(
  { center, stderr, degrees }: { center: number; stderr: number; degrees: number },
  level = defaultLevel,
): Interval {
  const reach = tQuantile((1 + level) / 2, degrees) * stderr;
  return { lower: center - reach, upper: center + reach };
}

/** Student's interval of the mean of independent values. Null below two values, and when all are equal. */
export function tInterval(values: readonly number[], level = defaultLevel): Interval | null {
  const center = mean(values);
  const deviation = standardDeviation(values);
  if (center === null || deviation === null || deviation === 0) return null;
  return tIntervalOfMean({ center, stderr: deviation / Math.sqrt(values.length), degrees: values.length - 1 }, level);
}

/** Number and sum of the values of one cluster, such as a scenario. */
export interface Cluster {
  readonly sum: number;
  readonly count: number;
}

export interface ClusteredMean {
  readonly mean: number | null;
  readonly stderr: number | null;
  readonly clusters: number;
  /** Null below two clusters, and when they do not vary. */
  readonly interval: Interval | null;
}

/**
 * Mean over all values with a cluster-robust standard error, since values of one cluster are not independent. It uses the
 * correction C / (C - 1) for few clusters, and Student's t with C - 1 degrees of freedom.
 */
export function clusterInterval(clusters: readonly Cluster[], level = defaultLevel): ClusteredMean {
  const used = clusters.filter(({ count }) => count > 0);
  const total = used.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return { mean: null, stderr: null, clusters: 0, interval: null };

  const center = used.reduce((sum, cluster) => sum + cluster.sum, 0) / total;
  if (used.length < 2) return { mean: center, stderr: null, clusters: used.length, interval: null };

  const residuals = used.reduce((sum, cluster) => sum + (cluster.sum - cluster.count * center) ** 2, 0);
  const stderr = Math.sqrt((used.length / (used.length - 1)) * residuals) / total;
  const degrees = used.length - 1;
  // A smaller standard error is rounding, and would give a falsely narrow interval.
  const interval = stderr > 1e-12 ? tIntervalOfMean({ center, stderr, degrees }, level) : null;
  return { mean: center, stderr: interval ? stderr : 0, clusters: used.length, interval };
}

/** Wilson's interval of a proportion: reliable for few trials and near 0 and 1. Null without trials. */
export function wilson(successes: number, trials: number, level = defaultLevel): Interval | null {
  requirePart("successes", successes, trials);
  if (trials === 0) return null;
  return wilsonOfShare({ share: successes / trials, trials, reach: normalQuantile((1 + level) / 2) });
}

/** Wilson's interval from a proportion and the quantile `reach`; `trials` may be an effective sample size. */
export function wilsonOfShare({ share, trials, reach }: { share: number; trials: number; reach: number }): Interval {
  const scale = 1 + reach ** 2 / trials;
  const center = (share + reach ** 2 / (2 * trials)) / scale;
  const half = (reach / scale) * Math.sqrt((share * (1 - share)) / trials + reach ** 2 / (4 * trials ** 2));
  // Exact at the ends, where rounding would be slightly off.
  return { lower: share === 0 ? 0 : center - half, upper: share === 1 ? 1 : center + half };
}

/**
 * Wilson's interval for values that are all 1, or all 0; null for others. They have no variance for Student's interval, but no
 * distribution on 0..1 yields only ones more often than a 0/1 one. Without it, a perfect run could not pass a gate.
 */
export function intervalOfConstant({ n, sd, mean }: ScoreStats): Interval | null {
  const end = Math.round(mean ?? 0);
  if (n < 2 || sd !== 0 || mean === null || Math.abs(mean - end) > 1e-12) return null;
  return wilson(end * n, n);
}
