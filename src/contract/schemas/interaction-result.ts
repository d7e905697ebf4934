import { z } from "zod";
import { errorKinds, type ErrorCode } from "../errors/errors.ts";
import { ContextPassage } from "./acting/context.ts";
import { TurnVerdict } from "./judging/human-verdict.ts";
import { ConversationJudgement, JudgeVerdict } from "./judging/judge.ts";
import { HelperUsage, Usage } from "./shared/usage.ts";
import { Scores } from "./scores/score.ts";
import { Interaction, Metadata } from "./scenario.ts";
import { UserTurn } from "./acting/user-turn.ts";
import { TurnTrace } from "./acting/turn-steps.ts";
import { RecordedToolCall, ToolComparison } from "./acting/tool-call.ts";

export const InteractionError = z
  .object({
    code: z.enum(Object.keys(errorKinds) as [ErrorCode, ...ErrorCode[]]),
    detail: z.string(),
    upstream_status: z.int().nullable(),
    tries: z.int().min(0),
    retryable: z.boolean(),
    upstream_message: z
      .string()
      .max(2_000)
      .optional()
      .describe(
        "The beginning of the answer of the endpoint, or the end of its stream, without secrets. Only for endpoints of the operator's own configuration, and for others with EVAL_UPSTREAM_MESSAGES.",
      ),
  })
  .meta({ id: "InteractionError" });
export type InteractionError = z.infer<typeof InteractionError>;

/** The source of a generated label. */
export const LabelSource = z
  .object({
    source: z.enum(["endpoint", "labeller", "local"]),
    method: z.string().optional(),
    confidence: z.number().min(0).max(1).optional(),
    unjudged: z
      .literal(true)
      .optional()
      .describe(
        "Set when the labeller does not understand the language of the reply. The label is shown, but counts in no score or figure.",
      ),
  })
  .meta({ id: "LabelSource" });
export type LabelSource = z.infer<typeof LabelSource>;

/** The model's reply in one turn: stored once, never changed by scoring. */
export const StoredReply = z.object({
  agent_reply: z.string(),
  error: InteractionError.nullable(),
  usage: Usage.nullable(),
  latency_ms: z.number().min(0),
  first_token_ms: z.number().min(0).nullable(),
  tries: z.int().min(0),
  finish_reason: z.string().nullable(),
  model: z.string().nullable(),
  system_fingerprint: z.string().nullable(),
  endpoint_metadata: Metadata.nullable(),
  cost: z.number().min(0).nullable().optional().describe("US dollars; null or absent when the price is unknown."),
  tool_calls: z.array(RecordedToolCall).optional().describe("The tool calls of the turn, in order."),
  context: z.array(ContextPassage).optional().describe("The passages that the agent says it retrieved for this reply."),
  calls_seen: z
    .enum(["none", "world", "spans"])
    .optional()
    .describe(
      "Which tool calls could be seen, when not all: `none`, because the endpoint has no way to report them, `world`, only those in its world, or `spans`, because spans that would show them did not come in time. An empty `tool_calls` then does not mean that none were made.",
    ),
  written_call: z
    .string()
    .optional()
    .describe(
      "A tool of the world that the reply calls in its text, where it counts as no call. `tool_support: prompted` reads such calls.",
    ),
  model_calls: z.int().min(1).optional().describe("Model calls of the turn, when there was more than one."),
  session_id: z.string().optional().describe("The session of the turn at a target that keeps one."),
  greeting: z.string().optional().describe("What the agent said before the user's first message, in the first turn."),
  refused_calls: z
    .int()
    .min(1)
    .optional()
    .describe("Calls of an agent in its world that came after the end of the turn before, and were refused."),
  trace: TurnTrace.optional().describe("The spans that the agent sent of the turn. Absent without any."),
  user_turn: UserTurn.optional().describe("The message of the turn, when it is not part of the script."),
  reused: z
    .object({ run_id: z.string(), at: z.iso.datetime().describe("When that run was started.") })
    .optional()
    .describe("The run that the reply was taken from, instead of asking again. It cost nothing in this run."),
});
export type StoredReply = z.infer<typeof StoredReply>;

/** A contradiction between the reply and the most similar reference. A warning, not a verdict. */
export const Conflict = z
  .object({
    kind: z.enum(["number", "date", "negation", "antonym"]),
    reply: z.string(),
    reference: z.string(),
    message: z.string(),
  })
  .meta({ id: "Conflict" });
export type Conflict = z.infer<typeof Conflict>;

/** Details of a `semantic_similarity`. Scores of different embedders or baselines are not comparable. */
export const SemanticDetails = z
  .object({ cosine: z.number(), baseline: z.number(), embedder: z.string() })
  .meta({ id: "SemanticDetails" });
export type SemanticDetails = z.infer<typeof SemanticDetails>;

/** A place in a reply that lowers a score. */
export const ReplyMark = z
  .object({
    start: z.int().min(0).describe("The first character, as JavaScript counts them."),
    end: z.int().min(0).describe("The character after the last."),
    reason: z.string(),
  })
  .meta({ id: "ReplyMark" });
export type ReplyMark = z.infer<typeof ReplyMark>;

/** The scoring of one turn, which can be computed again from the stored reply. */
export const StoredScores = z.object({
  generated_metadata: Metadata,
  label_sources: z.record(z.string(), LabelSource),
  scores: Scores,
  score_reasons: z.record(z.string(), z.string()),
  scoring_version: z.string(),
  stated: z
    .record(z.string(), z.boolean().nullable())
    .optional()
    .describe(
      "What the scenario states about this turn, by score: true if it was seen to hold, false if it was seen not to, null if undecided. Similarity to a reference states nothing. Absent in turns without a reply and in results of earlier releases.",
    ),
  failed_scores: z
    .array(z.string())
    .optional()
    .describe("Scores that are missing because the judge, the embedder or a check failed."),
  undecided_scores: z
    .array(z.string())
    .optional()
    .describe("Scores without a value because they need tool calls, or arguments, that could not be seen."),
  conflicts: z.array(Conflict).optional(),
  marks: z
    .record(z.string(), z.array(ReplyMark))
    .optional()
    .describe(
      "The places of the reply that lower a score, by the score: facts without a source, actions that were not done.",
    ),
  semantic: SemanticDetails.optional(),
  judgements: z.record(z.string(), JudgeVerdict).optional(),
  helper_usage: HelperUsage.optional(),
  kept_scores: z
    .array(z.string())
    .optional()
    .describe("After rescoring without models: scores based on earlier answers of the judge, labeller or embedder."),
  conversation: ConversationJudgement.optional().describe(
    "Judgement of the whole conversation, stored with its last turn.",
  ),
  tool_comparison: ToolComparison.optional().describe(
    "Which tool calls are right and wrong, and why. Absent when there is nothing to compare.",
  ),
  asked_in: z.string().optional().describe("Start of the rescoring in which models were called again."),
});
export type StoredScores = z.infer<typeof StoredScores>;

/** One turn of one attempt: the input fields, the reply, its labels and its scores. */
export const InteractionResult = z
  .object({
    ...Interaction.shape,
    turn_index: z.int().min(0),
    ...StoredReply.omit({ endpoint_metadata: true, tries: true, system_fingerprint: true }).shape,
    tool_calls: z.array(RecordedToolCall).default([]).describe("The tool calls of the turn, in order."),
    context: z
      .array(ContextPassage)
      .optional()
      .describe("The passages that the agent returned; where it returned none, those of the scenario."),
    user_turn: UserTurn.omit({ message: true })
      .optional()
      .describe("Set for turns of a simulated user: the source of `user_message` and the simulator's reason."),
    ...StoredScores.omit({ conversation: true, asked_in: true }).shape,
    verdicts: z
      .array(TurnVerdict)
      .optional()
      .describe(
        "People's verdicts on the reply; on the last turn also those on the whole conversation. Absent without.",
      ),
  })
  .meta({ id: "InteractionResult" });
export type InteractionResult = z.infer<typeof InteractionResult>;

/** The `agent_reply` of a turn without a usable reply. The exact text is part of the contract. */
export const failedReplyText = "Request failed";
