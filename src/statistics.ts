/** `rehearsal/statistics`: the figures behind every score, as plain functions without any dependency. */
export { clusterInterval, type Cluster, type ClusteredMean } from "./evaluation/statistics/cluster-interval.ts";
export { flakiness } from "./evaluation/statistics/flakiness.ts";
export { holm } from "./evaluation/statistics/holm.ts";
export type { Interval } from "./evaluation/statistics/interval.ts";
export { cohensKappa, kappaInterval, type LabelCounts } from "./evaluation/statistics/kappa.ts";
export { mcnemar } from "./evaluation/statistics/mcnemar.ts";
export { mean, standardDeviation } from "./evaluation/statistics/mean.ts";
export { detectableEffect, scenariosNeeded } from "./evaluation/statistics/power.ts";
export { reliability } from "./evaluation/statistics/reliability.ts";
export { tInterval } from "./evaluation/statistics/t-interval.ts";
export { wilson } from "./evaluation/statistics/wilson.ts";
export { compareRuns, type Comparison, type ScoreComparison } from "./evaluation/comparison/compare-runs.ts";
export { createRunTally, type RunTally } from "./evaluation/comparison/run-tally.ts";
