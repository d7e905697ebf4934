import { defaultLevel, type Interval } from "./interval.ts";
import { tIntervalOf } from "./t-interval.ts";

/** Values that belong together, such as all those of one scenario: their number and their sum. */
export interface Cluster {
  readonly sum: number;
  readonly count: number;
}

export interface ClusteredMean {
  readonly mean: number | null;
  readonly stderr: number | null;
  readonly clusters: number;
  /** Null below two clusters and without spread between them. */
  readonly interval: Interval | null;
}

/**
 * Mean over all values with a cluster-robust standard error: values of one cluster resemble each other, so it is the clusters
 * that count. With the correction C / (C - 1) for few clusters, and Student's t with C - 1 degrees of freedom.
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
  // Below this the spread is rounding, and the interval would pretend to a certainty nobody has.
  const interval = stderr > 1e-12 ? tIntervalOf({ center, stderr, degrees }, level) : null;
  return { mean: center, stderr: interval ? stderr : 0, clusters: used.length, interval };
}
