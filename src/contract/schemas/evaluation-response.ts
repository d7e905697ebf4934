import { z } from "zod";
import { LabelRule } from "../../scoring/scorers/label-rule.ts";
import { ConversationJudgement } from "./judging/judge.ts";
import { Usage } from "./shared/usage.ts";
import { Warning } from "../errors/problem.ts";
import { AdaptiveAttempts, AttemptCount, History, Parameters, Protocol } from "./evaluation-request.ts";
import { InteractionResult } from "./interaction-result.ts";
import { RunState, RunSummary } from "./run.ts";
import { UserEnd } from "./acting/user-turn.ts";
import { ExpectationResult } from "./acting/world.ts";
import { Breakdown, Drift, LabelMetrics, Measures, Reliability, Scores, ScoreStats } from "./scores/score.ts";

/** An attempt that was run again from its first bad turn, with reference replies as history. */
export const Replay = z
  .object({
    from_turn: z.int().min(0),
    interactions: z.array(InteractionResult),
    average_scores: Scores,
    repaired: z
      .boolean()
      .nullable()
      .describe("True when every turn from there on is good now; null when not all could be judged."),
    sentence: z.string(),
  })
  .meta({ id: "Replay" });
export type Replay = z.infer<typeof Replay>;

export const AttemptResult = z
  .object({
    attempt: z.int().min(1),
    interactions: z.array(InteractionResult),
    average_scores: Scores,
    unfinished: z
      .boolean()
      .optional()
      .describe(
        "True while turns are missing, because the run is still running, was stopped, or has spent its budget.",
      ),
    first_bad_turn: z
      .object({ turn_index: z.int().min(0), id: z.string(), overall: z.number().nullable() })
      .nullable()
      .optional()
      .describe(
        "The first turn without a reply, or that fails: a statement does not hold or, with a `threshold`, `overall` is below it.",
      ),
    replay: Replay.optional(),
    conversation: ConversationJudgement.omit({ helper_usage: true, outcome: true, user: true }).optional(),
    outcome: ExpectationResult.optional().describe("Whether the attempt met the scenario's `expect`."),
    user: UserEnd.optional().describe(
      "How the conversation with a simulated user ended. With a `failure`, the attempt is in no figure of the agent.",
    ),
  })
  .meta({ id: "AttemptResult" });
export type AttemptResult = z.infer<typeof AttemptResult>;

export const ScenarioResult = z
  .object({
    scenario_id: z.string(),
    description: z.string(),
    tags: z.array(z.string()).optional().describe("Absent when there are none."),
    system_prompt: z.string().optional().describe("The scenario's own system prompt, which replaced that of the run."),
    attempts: z.array(AttemptResult),
    threshold: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe(
        "Minimum `overall` of a good turn or attempt. Absent: what the scenario states decides (`stated`, `outcome`).",
      ),
    average_scores: Scores,
    score_stats: z.record(z.string(), ScoreStats),
    reliability: Reliability.nullable(),
    label_metrics: z.record(z.string(), LabelMetrics),
    breakdown: Breakdown.optional(),
    drift: Drift.optional(),
    reference_attempts: z
      .array(AttemptResult)
      .optional()
      .describe("With history `both`: the same attempts with reference history. Not included in the averages above."),
    attempts_skipped: z
      .int()
      .min(0)
      .optional()
      .describe(
        "Attempts without any turn, because the budget was spent or, in runs of earlier versions, they were not needed.",
      ),
  })
  .meta({ id: "ScenarioResult" });
export type ScenarioResult = z.infer<typeof ScenarioResult>;

/** Body of a finished POST /evaluate. */
export const EvaluationResponse = z
  .object({
    message: z.string(),
    results: z.object({ scenarios: z.array(ScenarioResult) }),
    run_id: z.string(),
    test_name: z.string(),
    endpoint: z.string().describe("Keys in its query are redacted."),
    model_id: z.string(),
    state: RunState,
    demo: z.boolean().describe("True when a scripted demo model answered instead of a language model."),
    scoring_version: z.string(),
    summary: RunSummary.omit({ usage: true }),
    usage: Usage,
    timing: z.object({
      started_at: z.iso.datetime().nullable(),
      finished_at: z.iso.datetime().nullable(),
      duration_ms: z.number().min(0),
    }),
    warnings: z.array(Warning),
    history: History.optional(),
    measures: Measures.optional(),
    label_rules: z.record(z.string(), LabelRule).optional().describe("The run's comparison rules by label key."),
    own_agent: z
      .literal(true)
      .optional()
      .describe("Set when a command started the agent backend for this run alone; `endpoint` no longer exists."),
    protocol: Protocol.optional(),
    parameters: Parameters.optional(),
    attempts: AttemptCount.optional().describe("Requested attempts per scenario."),
    adaptive: AdaptiveAttempts.optional().describe(
      "Only in runs of earlier versions whose number of attempts depended on the scores; `attempts` is then `max`.",
    ),
    system_prompt: z.string().optional().describe("System prompt of scenarios that have none of their own."),
  })
  .meta({ id: "EvaluationResponse" });
export type EvaluationResponse = z.infer<typeof EvaluationResponse>;
