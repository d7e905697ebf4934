import { z } from "zod";
import { Cursor } from "./shared/cursor.ts";
import { GateResult } from "./budget.ts";
import { HelperUsage, Usage } from "./shared/usage.ts";
import { Warning } from "../errors/problem.ts";
import { ExperimentPlan, Priority } from "./evaluation-request.ts";
import { InteractionError } from "./interaction-result.ts";
import { Metadata } from "./scenario.ts";
import { SimulatedUsers } from "./acting/user-turn.ts";
import { SequenceDecision } from "./sequence.ts";
import { Breakdown, Drift, LabelMetrics, Scores, ScoreStats } from "./scores/score.ts";

/** The scenarios that vary most between their attempts, with their share of the total variance. */
export const Flakiness = z
  .object({
    sentence: z.string(),
    scenarios: z.array(
      z.object({
        scenario_id: z.string(),
        variance: z.number(),
        share: z.number().describe("Share of the variance of all scenarios."),
        attempts: z.int(),
      }),
    ),
  })
  .meta({ id: "Flakiness" });
export type Flakiness = z.infer<typeof Flakiness>;

/** The scenarios of a run by their verdict. */
export const ScenarioCounts = z
  .object({
    total: z.int().min(0),
    passing: z.int().min(0).describe("Every attempt passed."),
    flaky: z.int().min(0).describe("Some attempts passed."),
    failing: z.int().min(0).describe("No attempt passed."),
    no_reply: z.int().min(0).describe("No attempt got all its replies. Not counted as `failing`."),
    unscored: z.int().min(0).describe("Nothing to measure the replies against, or the scoring failed."),
    waiting: z.int().min(0).describe("No attempt has ended."),
  })
  .meta({ id: "ScenarioCounts" });
export type ScenarioCounts = z.infer<typeof ScenarioCounts>;

/** The reason for missing replies, with the number of turns it affects. */
export const FailureCause = z
  .object({
    code: InteractionError.shape.code,
    count: z.int().min(1),
    detail: z.string().describe("Of the first turn."),
  })
  .meta({ id: "FailureCause" });
export type FailureCause = z.infer<typeof FailureCause>;

/** Turns that fail in every attempt of a scenario that passes nevertheless. */
export const AlwaysFailing = z
  .object({ scenario_id: z.string(), turns: z.array(z.int().min(0)).describe("Values of `turn_index`.") })
  .meta({ id: "AlwaysFailing" });
export type AlwaysFailing = z.infer<typeof AlwaysFailing>;

/** Durations of the replies of a run, in milliseconds. */
export const Durations = z
  .object({
    n: z.int().min(0).describe("Number of timed replies."),
    mean: z.number(),
    p50: z.number().describe("Median."),
    p95: z.number().describe("95th percentile."),
    max: z.number(),
  })
  .meta({ id: "Durations" });
export type Durations = z.infer<typeof Durations>;

/** Set when a run was scored again after it had ended. */
export const Rescored = z
  .object({
    at: z.iso.datetime(),
    replaced: z
      .array(z.string())
      .describe(
        "Settings replaced since the run was created; `test_batch` stands for the expectations of its scenarios.",
      ),
    asked_models: z.literal(true).optional().describe("Judge, labeller and embedder were called again."),
    partial: z
      .literal(true)
      .optional()
      .describe("The rescoring was interrupted and some turns have their old scores. Repeat it to complete it."),
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
    failures: z.array(FailureCause).optional().describe("Causes of missing replies, most frequent first; at most 10."),
    scenarios: ScenarioCounts.optional(),
    always_failing: z
      .array(AlwaysFailing)
      .optional()
      .describe(
        "Passing and flaky scenarios in which the same turns fail in every attempt; at most 200. Absent when there are none.",
      ),
    unscored: z
      .int()
      .min(1)
      .optional()
      .describe(
        "Replies without an `overall` because the judge, the embedder or a check failed, and replies of conversations without a verdict. They are not part of its mean.",
      ),
    written_calls: z
      .int()
      .min(1)
      .optional()
      .describe("Replies that look like a tool call written as text, which counts as no call."),
    undecided_scores: z
      .record(z.string(), z.int().min(1))
      .optional()
      .describe(
        "Attempts in which a score has no value because the tool calls that it needs could not be seen, by the name of the score. They are not part of its mean, and a gate on it does not pass.",
      ),
    stopped_by: z
      .enum(["budget", "decided"])
      .optional()
      .describe("Set when the run ended early. Its results are kept."),
    decision: SequenceDecision.optional().describe("Result of a run that stops when it is decided."),
    cost: z
      .object({
        total: z.number().min(0),
        unpriced: z.int().min(0).describe("Replies with an unknown price, judge and labeller included."),
      })
      .optional()
      .describe("US dollars, judging and labelling included."),
    helper_usage: HelperUsage.optional(),
    latency_ms: Durations.optional().describe("Durations of answered calls, without earlier tries and waits."),
    first_token_ms: Durations.optional().describe("Present when replies were streamed."),
    conflicts: z.int().min(0).optional().describe("Replies that contradict their reference."),
    breakdown: Breakdown.optional(),
    drift: Drift.optional(),
    reference_scores: Scores.optional().describe("With history `both`: the scores with reference history."),
    gate: GateResult.optional(),
    flaky: z.int().min(0).optional().describe("Scenarios with both passed and failed attempts."),
    flakiness: Flakiness.optional(),
    judge_audited: z.boolean().optional(),
    unaudited_scores: z
      .array(z.string())
      .optional()
      .describe("Scores that rest on a judge without an audit, `overall` where it contains one of them."),
    rescored: Rescored.optional(),
    simulated_users: SimulatedUsers.optional().describe("Present when scenarios have a simulated user."),
    pass_hat_k: z
      .object({
        k: z.int().min(2),
        mean: z.number().min(0).max(1).describe("Mean over the scenarios."),
        scenarios: z.int().min(1).describe("Scenarios with a passed or failed attempt."),
      })
      .optional()
      .describe(
        "pass^k: the probability that k attempts at a scenario all pass, for the largest k that every scenario has. Absent with single attempts.",
      ),
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
    attempts_total: z.int().min(0).describe("Planned attempts."),
    attempts_done: z
      .int()
      .min(0)
      .describe(
        "Attempts that have ended, including those skipped because the budget was spent. `interactions_done` counts the turns that ran.",
      ),
    interactions_total: z.int().min(0).describe("Turns of all planned attempts; with history `both`, of both passes."),
    interactions_done: z.int().min(0).describe("Turns that ran, including failed ones."),
    interactions_failed: z.int().min(0).describe("Turns without a usable reply."),
  })
  .meta({ id: "Progress" });
export type Progress = z.infer<typeof Progress>;

/** A run without its interactions. */
export const Run = z
  .object({
    run_id: z.string(),
    test_name: z.string(),
    endpoint: z.string().describe("Keys in its query are redacted."),
    model_id: z.string(),
    state: RunState,
    interrupted: z
      .boolean()
      .optional()
      .describe(
        "True when the run has not ended and the command that executed it is gone. Continue it with `rehearsal eval --resume`.",
      ),
    message: z.string(),
    demo: z.boolean(),
    tags: z.array(z.string()).optional().describe("Absent when there are none."),
    metadata: Metadata.optional().describe("Of the request; absent when it is empty."),
    priority: Priority.optional(),
    created_at: z.iso.datetime(),
    started_at: z.iso.datetime().nullable(),
    finished_at: z.iso.datetime().nullable(),
    progress: Progress,
    summary: RunSummary.nullable(),
    warnings: z.array(Warning).optional().describe("Absent when there are none."),
    sequence: z
      .object({ side: z.enum(["candidate", "baseline"]), opponent: z.string().nullable() })
      .optional()
      .describe("Set when the run stops as soon as a comparison is decided; `opponent` is the run of the other side."),
    experiment: ExperimentPlan.optional().describe("Set when the run is one of several variants."),
  })
  .meta({ id: "Run" });
export type Run = z.infer<typeof Run>;

/** `2026-11-18` or `2026-11-18T09:30:00Z`. Dates are in UTC. */
const RunDate = z.union([z.iso.date(), z.iso.datetime({ offset: true })], {
  error: "must be a date like 2026-11-18 or a time like 2026-11-18T09:30:00Z",
});

/** Body of PATCH /runs/{run_id}. Fields that are left out stay as they are. */
export const RunChanges = z
  .strictObject({
    test_name: z.string().min(1).max(1024).optional(),
    tags: z.array(z.string().min(1).max(200)).max(50).optional().describe("Replaces all tags."),
  })
  .meta({ id: "RunChanges" });
export type RunChanges = z.infer<typeof RunChanges>;

/** Query of GET /runs. */
export const RunListQuery = z
  .object({
    state: RunState.optional(),
    test_name: z.string().max(1024).optional(),
    model_id: z.string().max(512).optional(),
    search: z.string().max(1024).optional().describe("Part of the test name or the model id, ignoring case."),
    search_model_ids: z
      .string()
      .max(4000)
      .optional()
      .describe(
        "Comma-separated model ids whose runs `search` finds as well, for models whose names only the client knows.",
      ),
    tag: z.string().max(200).optional().describe("Only runs with exactly this tag."),
    label: z
      .string()
      .max(400)
      .optional()
      .describe("Only runs whose `metadata` has this key or, as `key=value`, this value under it."),
    experiment: z.string().max(200).optional().describe("Only runs of the experiment with this id."),
    score: z
      .string()
      .max(200)
      .optional()
      .describe("The score that `min_score` and `max_score` refer to. Default: overall."),
    min_score: z.coerce.number().optional().describe("Only ended runs whose mean of `score` is at least this."),
    max_score: z.coerce.number().optional().describe("Only ended runs whose mean of `score` is at most this."),
    created_from: RunDate.optional().describe("Only runs created at or after this date or time."),
    created_to: RunDate.optional().describe(
      "Only runs created before the end of this date, or at or before this time.",
    ),
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(200)
      .default(50)
      .describe("Maximum number of runs. Pages are smaller when runs are large."),
    cursor: Cursor.optional(),
  })
  .meta({ id: "RunListQuery" });
export type RunListQuery = z.infer<typeof RunListQuery>;

/** One page of runs, newest first. */
export const RunList = z.object({ runs: z.array(Run), next_cursor: z.string().nullable() }).meta({ id: "RunList" });
export type RunList = z.infer<typeof RunList>;

/** Outline of a stored turn; the results have the rest. */
export const StoredTurn = z
  .object({
    scenario_id: z.string(),
    attempt: z.int().min(1),
    turn_index: z.int().min(0),
    pass: z
      .int()
      .min(1)
      .max(2)
      .describe("2 when the turn ran again with reference replies as history (history `both`, or a replay)."),
    interaction_id: z.string(),
    agent_reply: z.string(),
    error: InteractionError.nullable(),
    scores: Scores.nullable().describe("null when the turn is not scored yet."),
    latency_ms: z.number().min(0),
    cost: z.number().min(0).nullable().describe("null when the price or the usage is unknown."),
  })
  .meta({ id: "StoredTurn" });
export type StoredTurn = z.infer<typeof StoredTurn>;

/** The events of GET /runs/{run_id}/events. Only `interaction` events have an id, which `Last-Event-ID` refers to. */
export type RunEvent =
  | { readonly type: "interaction"; readonly id: number; readonly data: StoredTurn }
  | { readonly type: "progress"; readonly data: Progress }
  | { readonly type: "end"; readonly data: Run };
