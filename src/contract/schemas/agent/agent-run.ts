import { compact } from "../../../base/compact.ts";
import { z } from "zod";
import { errorKinds, type ErrorCode } from "../../errors/errors.ts";
import type { ChatMessage, Reply, UserMessage } from "../../ports/chat-model.ts";
import { AgentReply } from "./agent-message.ts";
import { Cursor } from "../shared/cursor.ts";
import { addUsage, noUsage, toUsage, Usage } from "../shared/usage.ts";

const errorCodes = Object.keys(errorKinds) as [ErrorCode, ...ErrorCode[]];

const Fields = z.record(z.string(), z.unknown());

const RecordedToolCall = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.string(),
  echo: z
    .object({ from: z.string().exactOptional(), call: Fields.exactOptional(), message: Fields.exactOptional() })
    .describe("Opaque data that the provider expects back with the call.")
    .exactOptional(),
});

/** One message as sent to the model, with images replaced by text. */
const RecordedMessage: z.ZodType<RecordedMessage> = z
  .discriminatedUnion("role", [
    z.object({ role: z.literal("system"), content: z.string(), name: z.string().exactOptional() }),
    z.object({
      role: z.literal("user"),
      content: z.string(),
      name: z.string().exactOptional(),
      images: z.int().exactOptional().describe("Number of images in the message. They are not stored."),
    }),
    z.object({
      role: z.literal("assistant"),
      content: z.string(),
      tool_calls: z.array(RecordedToolCall).exactOptional(),
      name: z.string().exactOptional(),
    }),
    z.object({
      role: z.literal("tool"),
      content: z.string(),
      tool_call_id: z.string(),
      name: z.string().exactOptional(),
    }),
  ])
  .meta({ id: "RecordedMessage" });

export type RecordedMessage =
  | Exclude<ChatMessage, UserMessage>
  | (Omit<UserMessage, "parts"> & { readonly images?: number });

const RecordedTokenUsage = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
  prompt_tokens_details: z.record(z.string(), z.unknown()).nullable(),
  completion_tokens_details: z.record(z.string(), z.unknown()).nullable(),
});

/** The model's complete answer, or the reason there is none. */
const RecordedReply: z.ZodType<Reply> = z
  .discriminatedUnion("ok", [
    z.object({
      ok: z.literal(true),
      text: z.string(),
      reasoning: z.string().exactOptional(),
      refusal: z.string().nullable(),
      tool_calls: z.array(RecordedToolCall),
      finish_reason: z.string(),
      usage: RecordedTokenUsage.nullable(),
      model: z.string(),
      completion_id: z.string(),
      system_fingerprint: z.string().nullable(),
      service_tier: z.string().nullable(),
      logprobs: z.record(z.string(), z.unknown()).nullable(),
      metadata: z.record(z.string(), z.json()).nullable(),
      latency_ms: z.number(),
      first_token_ms: z.number().nullable(),
      tries: z.number(),
    }),
    z.object({
      ok: z.literal(false),
      error: z.object({
        code: z.enum(errorCodes),
        detail: z.string(),
        upstream_status: z.number().nullable(),
        tries: z.number(),
        retryable: z.boolean(),
        retry_after_ms: z.number().exactOptional(),
        refuses_tools: z.literal(true).exactOptional().describe("The endpoint does not support tools."),
        too_many_tools: z.literal(true).exactOptional().describe("The endpoint supports tools, but fewer."),
        refuses_format: z.literal(true).exactOptional().describe("The endpoint does not support structured output."),
        refuses_content: z
          .literal(true)
          .exactOptional()
          .describe("A content filter of the endpoint rejected the conversation."),
        lacks_credit: z.literal(true).exactOptional().describe("The account at the endpoint has no credit."),
        unreadable_call: z
          .literal(true)
          .exactOptional()
          .describe("The provider could not parse the model's tool call."),
      }),
      latency_ms: z.number(),
    }),
  ])
  .meta({ id: "RecordedReply" });

const Arguments = z.record(z.string(), z.unknown());
const Time = z.number().describe("Milliseconds since 1970.");

/** A decision about one tool call that waits for approval. Objects with other fields are rejected: they might mean a denial. */
const ApprovalDecisionBody = z
  .union([
    z.enum(["approve", "deny"]),
    z.strictObject({ args: Arguments.optional() }),
    z.strictObject({ deny: z.string().min(1).max(2000).describe("Reason of the denial, which the model reads.") }),
  ])
  .meta({ id: "ApprovalDecision" });

/** `waiting`: tool calls wait for approval. */
export const AgentRunState = z.enum(["running", "waiting", "completed", "failed", "cancelled"]);
export type AgentRunState = z.infer<typeof AgentRunState>;

/** The protocol through which a turn was requested. */
export const AgentWire = z.enum(["agent", "openai-chat", "openai-responses", "ai-sdk-ui", "ag-ui", "mcp"]);
export type AgentWire = z.infer<typeof AgentWire>;

const ClientTool = z.object({
  name: z.string(),
  description: z.string(),
  parameters: Arguments,
  strict: z.boolean().optional(),
});

export const AgentRunStarted = z.object({
  type: z.literal("run-start"),
  at: Time,
  owner: z.string().nullable(),
  wire: AgentWire,
  request_id: z.string(),
  model_id: z.string().describe("The requested model, before it was resolved."),
  model_resolved: z.string(),
  thread_id: z.string().nullable(),
  messages: z.array(RecordedMessage).readonly(),
  tools: z.array(z.string()).readonly().describe("Names of the agent's own tools offered to the model."),
  client_tools: z.array(ClientTool).readonly(),
  recovered: z
    .literal(true)
    .exactOptional()
    .describe(
      "The process of the run ended, and another one finishes it from here. The steps that were complete follow again, with their stored results.",
    ),
});

/** One event in the log of a run, in chronological order. */
export const AgentRunEntry = z
  .discriminatedUnion("type", [
    AgentRunStarted,
    z.object({
      type: z.literal("run-resume"),
      at: Time,
      decisions: z.record(z.string(), ApprovalDecisionBody),
    }),
    z.object({
      type: z.literal("model-call"),
      at: Time,
      call: z.int().describe("Counted from 1."),
      duration_ms: z.number(),
      model_resolved: z.string(),
      reply: RecordedReply.nullable().describe(
        "null when the run ended during the call, because its time limit was reached or the client disconnected.",
      ),
    }),
    z.object({
      type: z.literal("tool-call"),
      at: Time,
      id: z.string(),
      name: z.string(),
      args: Arguments,
      ok: z.boolean(),
      result: z.string(),
      duration_ms: z.number(),
    }),
    z.object({
      type: z.literal("run-end"),
      at: Time,
      state: AgentRunState,
      model_resolved: z.string(),
      finish_reason: z.string().nullable(),
      text: z.string().nullable(),
      error: z.object({ code: z.enum(errorCodes), detail: z.string() }).nullable(),
      usage: Usage,
      cost: z.number().nullable(),
      model_calls: z.int(),
      tool_calls: z.int(),
      duration_ms: z.number(),
      waiting_calls: z
        .array(z.string())
        .readonly()
        .exactOptional()
        .describe("Ids of the calls that wait for approval."),
      message: AgentReply.exactOptional().describe(
        "The response, of a run that was started with `Prefer: respond-async`.",
      ),
    }),
  ])
  .meta({ id: "AgentRunEntry" });
export type AgentRunEntry = z.infer<typeof AgentRunEntry>;
export type AgentRunStarted = z.infer<typeof AgentRunStarted>;
export type AgentRunEnd = Extract<AgentRunEntry, { type: "run-end" }>;

const summaryFields = {
  id: z.string(),
  state: AgentRunState,
  wire: AgentWire,
  model_id: z.string(),
  model_resolved: z.string(),
  thread_id: z.string().nullable(),
  input: z.string().optional().describe("The beginning of the last user message."),
  created_at: Time,
  finished_at: Time.nullable(),
  duration_ms: z.number().nullable(),
  finish_reason: z.string().nullable(),
  error: z.object({ code: z.enum(errorCodes), detail: z.string() }).nullable(),
  usage: Usage,
  cost: z.number().nullable(),
  model_calls: z.int(),
  tool_calls: z.int(),
};

/** One run in a list. */
export const AgentRunSummary = z.object(summaryFields).meta({ id: "AgentRunSummary" });
export type AgentRunSummary = z.infer<typeof AgentRunSummary>;

/** One run with its complete log. */
export const AgentRunDetails = z
  .object({
    ...summaryFields,
    text: z.string().nullable().describe("The last message; null until there is one."),
    message: AgentReply.nullable().describe(
      "The whole response, once there is one, of a run that was started with `Prefer: respond-async`.",
    ),
    log: z.array(AgentRunEntry).readonly(),
  })
  .meta({ id: "AgentRunDetails" });
export type AgentRunDetails = z.infer<typeof AgentRunDetails>;

export const AgentRunList = z
  .object({ runs: z.array(AgentRunSummary), next_cursor: z.string().nullable() })
  .meta({ id: "AgentRunList" });
export type AgentRunList = z.infer<typeof AgentRunList>;

export const AgentRunListQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: Cursor.optional(),
  state: AgentRunState.optional(),
  wire: AgentWire.optional(),
  model_id: z.string().max(512).optional().describe("The requested model, before it was resolved."),
  thread_id: z.string().max(200).optional(),
});

/** Body of POST /agent/runs/{run_id}/resume: one decision for each waiting tool call, by its id. */
export const ResumeRequest = z
  .object({
    decisions: z
      .record(z.string(), ApprovalDecisionBody)
      .describe(
        "Call id → `approve`, `deny`, `{ deny }` with the reason, or `{ args }` to approve with changed arguments.",
      ),
  })
  .meta({ id: "ResumeRequest" });
export type ResumeRequest = z.infer<typeof ResumeRequest>;

/**
 * The summary of a run after one more log entry. A resumed run is summarized as a whole: its last `run-end` decides. Null before
 * the `run-start` entry.
 */
export function advanceSummary(
  id: string,
  summary: AgentRunSummary | null,
  entry: AgentRunEntry,
): AgentRunSummary | null {
  if (entry.type === "run-start") return startSummary(id, entry);
  if (!summary) return null;
  switch (entry.type) {
    case "run-resume":
      return { ...summary, ...unfinished };
    case "model-call": {
      const counted = entry.reply?.ok && entry.reply.usage ? toUsage(entry.reply.usage) : null;
      return { ...summary, model_calls: summary.model_calls + 1, usage: addUsage(summary.usage, counted) };
    }
    case "tool-call":
      return { ...summary, tool_calls: summary.tool_calls + 1 };
    case "run-end":
      return {
        ...summary,
        state: entry.state,
        model_resolved: entry.model_resolved,
        finished_at: entry.at,
        duration_ms: entry.duration_ms,
        finish_reason: entry.finish_reason,
        error: entry.error,
        usage: entry.usage,
        cost: entry.cost,
        model_calls: entry.model_calls,
        tool_calls: entry.tool_calls,
      };
  }
}

/** Fields that are known only at the end of a run. */
const unfinished = {
  state: "running",
  finished_at: null,
  duration_ms: null,
  finish_reason: null,
  error: null,
  cost: null,
} as const;

function startSummary(id: string, start: Extract<AgentRunEntry, { type: "run-start" }>): AgentRunSummary {
  const input = start.messages.findLast(({ role }) => role === "user")?.content;
  return compact({
    ...unfinished,
    id,
    wire: start.wire,
    model_id: start.model_id,
    model_resolved: start.model_resolved,
    thread_id: start.thread_id,
    input: input ? headOf(input) : undefined,
    created_at: start.at,
    usage: noUsage,
    model_calls: 0,
    tool_calls: 0,
  });
}

const longestInput = 160;

/** The first characters of a message; does not split a surrogate pair. */
function headOf(text: string): string {
  return text.slice(0, longestInput).replace(/[\uD800-\uDBFF]$/, "");
}

/** The summary of a whole log. */
export function summarizeRun(id: string, entries: readonly AgentRunEntry[]): AgentRunSummary | null {
  return entries.reduce<AgentRunSummary | null>((summary, entry) => advanceSummary(id, summary, entry), null);
}
