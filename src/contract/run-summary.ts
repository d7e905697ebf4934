import { z } from "zod";
import { GateResult } from "./budget.ts";
import { HelperUsage } from "./judge.ts";
import { Breakdown, Drift, LabelMetrics, ScoreStats } from "./score-stats.ts";
import { Scores } from "./score.ts";
import { Usage } from "./usage.ts";

/** Which scenarios vary most between their attempts, and how much of all the variance they make. */
export const Flakiness = z
  .object({
    sentence: z.string(),
    scenarios: z.array(
      z.object({
        scenario_id: z.string(),
        variance: z.number(),
        share: z.number().describe("Of the variance of all scenarios."),
        attempts: z.int(),
      }),
    ),
  })
  .meta({ id: "Flakiness" });
export type Flakiness = z.infer<typeof Flakiness>;

/** How long the replies of a run took, in milliseconds. */
export const Durations = z
  .object({
    n: z.int().min(0).describe("Replies that were timed."),
    mean: z.number(),
    p50: z.number().describe("Half of them took at most this long."),
    p95: z.number().describe("Nineteen of twenty took at most this long."),
    max: z.number(),
  })
  .meta({ id: "Durations" });
export type Durations = z.infer<typeof Durations>;

/** That a run was scored again after it had ended. */
export const Rescored = z
  .object({
    at: z.iso.datetime(),
    replaced: z
      .array(z.string())
      .describe(
        "What was replaced since the run was made: names of settings, and `test_batch` for what its scenarios expect.",
      ),
    asked_models: z.literal(true).optional().describe("Judge, labeller and embedder were asked again."),
    partial: z
      .literal(true)
      .optional()
      .describe("It was broken off: some turns are still scored as before. Doing the same again completes it."),
  })
  .meta({ id: "Rescored" });
export type Rescored = z.infer<typeof Rescored>;

/** Figures of a whole run, stored when it ends. */
export const RunSummary = z
  .object({
    average_scores: Scores,
    score_stats: z.record(z.string(), ScoreStats),
    label_metrics: z.record(z.string(), LabelMetrics),
    usage: Usage,
    interactions: z.int().min(0),
    failed: z.int().min(0),
    unscored: z
      .int()
      .min(1)
      .optional()
      .describe(
        "Replies without an overall because judge, embedder or a check failed: they are in no mean of it. And those of conversations the judge gave no verdict on.",
      ),
    stopped_by: z.enum(["budget"]).optional().describe("Why the run ended before all was done. Its results are kept."),
    cost: z
      .object({
        total: z.number().min(0),
        unpriced: z.int().min(0).describe("Replies whose price is not known, those of judge and labeller included."),
      })
      .optional()
      .describe("US dollars, judging and labelling included."),
    helper_usage: HelperUsage.optional(),
    latency_ms: Durations.optional().describe("Of the calls that were answered, without tries and waits before them."),
    first_token_ms: Durations.optional().describe("Where replies came as streams."),
    conflicts: z.int().min(0).optional().describe("Replies that contradict their reference on some point."),
    breakdown: Breakdown.optional(),
    drift: Drift.optional(),
    reference_scores: Scores.optional().describe("With history both: the run's scores with reference history."),
    gate: GateResult.optional(),
    flaky: z.int().min(0).optional().describe("Scenarios of which some attempts passed and others did not."),
    flakiness: Flakiness.optional(),
    judge_audited: z.boolean().optional(),
    rescored: Rescored.optional(),
  })
  .meta({ id: "RunSummary" });
export type RunSummary = z.infer<typeof RunSummary>;
