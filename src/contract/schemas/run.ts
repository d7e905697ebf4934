import { z } from "zod";
import { GateResult } from "./budget.ts";
import { HelperUsage } from "./judge.ts";
import { Usage } from "./usage.ts";
import { Warning } from "./problem.ts";
import { Priority } from "./evaluation-request.ts";
import { InteractionError } from "./interaction-result.ts";
import { Breakdown, Drift, LabelMetrics, Scores, ScoreStats } from "./score.ts";

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

export const RunState = z
  .enum(["queued", "running", "cancelling", "completed", "failed", "cancelled"])
  .meta({ id: "RunState" });
export type RunState = z.infer<typeof RunState>;

export const finalStates: ReadonlySet<RunState> = new Set(["completed", "failed", "cancelled"]);

export const Progress = z
  .object({
    attempts_total: z.int().min(0).describe("Planned."),
    attempts_done: z
      .int()
      .min(0)
      .describe(
        "Over: carried out, or left out because the budget was spent. `interactions_done` says how much was run.",
      ),
    interactions_total: z.int().min(0).describe("Turns of all planned attempts, with history `both` in both passes."),
    interactions_done: z.int().min(0).describe("Turns that were run, failed ones among them."),
    interactions_failed: z.int().min(0).describe("Turns that got no usable reply."),
  })
  .meta({ id: "Progress" });
export type Progress = z.infer<typeof Progress>;

/** A run without its interactions. */
export const Run = z
  .object({
    run_id: z.string(),
    test_name: z.string(),
    endpoint: z.string().describe("A key in its query is not shown."),
    model_id: z.string(),
    state: RunState,
    interrupted: z
      .boolean()
      .optional()
      .describe(
        "True when the run has not ended, and the command that carried it out, and alone can, is gone: `rehearsal eval --resume` goes on with it.",
      ),
    message: z.string(),
    demo: z.boolean(),
    priority: Priority.optional(),
    created_at: z.iso.datetime(),
    started_at: z.iso.datetime().nullable(),
    finished_at: z.iso.datetime().nullable(),
    progress: Progress,
    summary: RunSummary.nullable(),
    warnings: z.array(Warning).optional().describe("Absent where there are none."),
  })
  .meta({ id: "Run" });
export type Run = z.infer<typeof Run>;

/** Query of GET /runs. */
export const RunListQuery = z
  .object({
    state: RunState.optional(),
    test_name: z.string().max(1024).optional(),
    model_id: z.string().max(512).optional(),
    search: z.string().max(1024).optional().describe("Part of the test name or the model id, in any case."),
    search_model_ids: z
      .string()
      .max(4000)
      .optional()
      .describe("Models whose runs a search finds as well, comma separated: those whose name you know and we do not."),
    limit: z.coerce.number().int().min(1).max(200).default(50).describe("Fewer runs come where they are long."),
    cursor: z.string().max(200).optional().describe("next_cursor of the page before."),
  })
  .meta({ id: "RunListQuery" });
export type RunListQuery = z.infer<typeof RunListQuery>;

/** One page of runs, newest first. */
export const RunList = z.object({ runs: z.array(Run), next_cursor: z.string().nullable() }).meta({ id: "RunList" });
export type RunList = z.infer<typeof RunList>;

/** A turn that was stored, in short: enough to draw it; the results hold the rest. */
export const StoredTurn = z
  .object({
    scenario_id: z.string(),
    attempt: z.int().min(1),
    turn_index: z.int().min(0),
    pass: z
      .int()
      .min(1)
      .max(2)
      .describe("2: the turn was run once more, with reference replies before it (history both, or a replay)."),
    interaction_id: z.string(),
    agent_reply: z.string(),
    error: InteractionError.nullable(),
    scores: Scores.nullable().describe("null: stored, not yet scored."),
    latency_ms: z.number().min(0),
    cost: z.number().min(0).nullable().describe("null: the price or the usage is not known."),
  })
  .meta({ id: "StoredTurn" });
export type StoredTurn = z.infer<typeof StoredTurn>;

/** What GET /runs/{run_id}/events sends. Only `interaction` events are numbered: they are what `Last-Event-ID` counts. */
export type RunEvent =
  | { readonly type: "interaction"; readonly id: number; readonly data: StoredTurn }
  | { readonly type: "progress"; readonly data: Progress }
  | { readonly type: "end"; readonly data: Run };
