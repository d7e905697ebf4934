/**
 * `rehearsal-eval/statistics`: the statistics behind every score, as plain functions without dependencies.
 *
 * @example
 * wilson(9, 10); // the 95 % interval of 9 successes in 10
 */
import "./required-node.ts";
export { mean, standardDeviation } from "./evaluation/statistics/descriptive.ts";
export {
  clusterInterval,
  tInterval,
  wilson,
  type Cluster,
  type ClusteredMean,
  type Interval,
} from "./evaluation/statistics/intervals.ts";
export {
  fleissKappa,
  krippendorffAlpha,
  pairKappa,
  type AlphaMetric,
  type BootstrapOptions,
  type Coefficient,
  type Rating,
} from "./evaluation/statistics/agreement.ts";
export {
  exactInterval,
  labelsAlone,
  misclassificationEstimate,
  predictionPoweredDifference,
  predictionPoweredInterval,
  predictionPoweredMean,
  type JudgedReply,
  type MisclassificationEstimate,
  type PoweredDifference,
  type PoweredMean,
} from "./evaluation/statistics/prediction-powered.ts";
export { correctEffect, correctMean } from "./evaluation/judges/correct-judge.ts";
export { cohensKappa, kappaInterval, type LabelCounts } from "./evaluation/statistics/kappa.ts";
export { detectableEffect, scenariosNeeded } from "./evaluation/statistics/power.ts";
export { flakiness, noiseFloor, reliability } from "./evaluation/statistics/reliability.ts";
export { scoreStats, type ScoreStatsOptions } from "./evaluation/statistics/score-stats.ts";
export { planNotWorse, testNotWorse, type Gains, type NotWorseTest } from "./evaluation/statistics/not-worse.ts";
export {
  decideSequence,
  followSequence,
  type Sequence,
  type SequenceOptions,
  type SequenceUnit,
} from "./evaluation/statistics/sequence.ts";
export { hochberg, holm, mcnemar } from "./evaluation/statistics/significance.ts";

export { changedInteractions } from "./evaluation/comparison/changed-interactions.ts";
export { compareRuns, type Comparison } from "./evaluation/comparison/compare-runs.ts";
export type { ScoreComparison } from "./evaluation/comparison/compare-score.ts";
export { pairwiseFigures, type JudgedPair } from "./evaluation/comparison/pairwise.ts";
export { rankScore, type RankedScore, type ScoreRanking } from "./evaluation/comparison/rank-score.ts";
export {
  createFailedReplies,
  createRunTally,
  type FailedReplies,
  type RunTally,
} from "./evaluation/comparison/run-tally.ts";
export { shareScore, type SharedScore } from "./evaluation/comparison/shared-score.ts";

export { createBreakdown, type BreakdownTally } from "./evaluation/summary/breakdown.ts";
export { createDrift, type DriftTally } from "./evaluation/summary/drift.ts";
export { createLabelTally, type LabelTally } from "./evaluation/summary/label-metrics.ts";
export { createRunFigures, type FiguredAttempt, type RunFigures } from "./evaluation/summary/summarize-run.ts";
export {
  firstBadTurn,
  summarizeScenario,
  type ScenarioFigures,
  type SummarizedAttempt,
} from "./evaluation/summary/summarize-scenario.ts";
