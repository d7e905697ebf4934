import { z } from "zod";
import { errorKinds, type ErrorCode } from "../errors.ts";
import type { ChatMessage, Reply, UserMessage } from "../ports/chat-model.ts";
import { addUsage, noUsage, toUsage, Usage } from "./usage.ts";

const errorCodes = Object.keys(errorKinds) as [ErrorCode, ...ErrorCode[]];

const Fields = z.record(z.string(), z.unknown());

const RecordedToolCall = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.string(),
  echo: z
    .object({ from: z.string().exactOptional(), call: Fields.exactOptional(), message: Fields.exactOptional() })
    .describe("What the provider wants to see again beside the call.")
    .exactOptional(),
});

/** One message as the model got it, but for pictures: words stand for them. */
const RecordedMessage: z.ZodType<RecordedMessage> = z
  .discriminatedUnion("role", [
    z.object({ role: z.literal("system"), content: z.string(), name: z.string().exactOptional() }),
    z.object({
      role: z.literal("user"),
      content: z.string(),
      name: z.string().exactOptional(),
      images: z.int().exactOptional().describe("How many pictures it had. They are not kept."),
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

/** Everything the model answered, or why it did not. */
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
        refuses_tools: z.literal(true).exactOptional().describe("The endpoint says that it takes no tools."),
        too_many_tools: z.literal(true).exactOptional().describe("The endpoint takes tools, but not so many."),
        refuses_format: z
          .literal(true)
          .exactOptional()
          .describe("The endpoint says that it gives no structured output."),
        refuses_content: z.literal(true).exactOptional().describe("A filter of the endpoint refused what was said."),
        lacks_credit: z.literal(true).exactOptional().describe("The account at the endpoint is empty."),
        unreadable_call: z
          .literal(true)
          .exactOptional()
          .describe("The model asked for a tool in a way that its provider could not read."),
      }),
      latency_ms: z.number(),
    }),
  ])
  .meta({ id: "RecordedReply" });

const Arguments = z.record(z.string(), z.unknown());
const Time = z.number().describe("Milliseconds since 1970.");

/** A decision about one tool call that waits for approval. An object with any other field is none: it may mean to deny. */
export const ApprovalDecisionBody = z
  .union([
    z.enum(["approve", "deny"]),
    z.strictObject({ args: Arguments.optional() }),
    z.strictObject({ deny: z.string().min(1).max(2000).describe("Why it is denied: the model reads it.") }),
  ])
  .meta({ id: "ApprovalDecision" });

/** `waiting`: tool calls wait for somebody's approval. */
export const AgentRunState = z.enum(["running", "waiting", "completed", "failed", "cancelled"]);
export type AgentRunState = z.infer<typeof AgentRunState>;

/** How a turn came in. */
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
  model_id: z.string().describe("As it was asked for."),
  model_resolved: z.string(),
  thread_id: z.string().nullable(),
  messages: z.array(RecordedMessage).readonly(),
  tools: z.array(z.string()).readonly().describe("Names of our tools the model was offered."),
  client_tools: z.array(ClientTool).readonly(),
});

/** One thing that happened in a run, in the order it happened. */
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
        "null when the end of the run cut the call off, because its time was over or its client had gone.",
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

/** One run with everything that was recorded of it. */
export const AgentRunDetails = z
  .object({
    ...summaryFields,
    text: z.string().nullable().describe("The last message; null while there is none."),
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
  cursor: z.string().max(200).optional().describe("From `next_cursor` of the page before."),
  state: AgentRunState.optional(),
  wire: AgentWire.optional(),
  model_id: z.string().max(512).optional().describe("As it was asked for."),
  thread_id: z.string().max(200).optional(),
});

/** Body of POST /agent/runs/{run_id}/resume: one decision for each tool call that waits, by its id. */
export const ResumeRequest = z
  .object({
    decisions: z
      .record(z.string(), ApprovalDecisionBody)
      .describe(
        "Call id → `approve`, `deny`, `{ deny }` with the reason, or `{ args }` to approve with other arguments.",
      ),
  })
  .meta({ id: "ResumeRequest" });

export type ResumeRequest = z.infer<typeof ResumeRequest>;

/**
 * The summary of a run after one more entry of its log. A run that was resumed counts as a whole: its last end tells.
 * Null before the run's start, without which nothing can be said about it.
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
      return { ...summary, ...underWay };
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

/** What only the end of a run tells. */
const underWay = {
  state: "running",
  finished_at: null,
  duration_ms: null,
  finish_reason: null,
  error: null,
  cost: null,
} as const;

function startSummary(id: string, start: Extract<AgentRunEntry, { type: "run-start" }>): AgentRunSummary {
  return {
    ...underWay,
    id,
    wire: start.wire,
    model_id: start.model_id,
    model_resolved: start.model_resolved,
    thread_id: start.thread_id,
    created_at: start.at,
    usage: noUsage,
    model_calls: 0,
    tool_calls: 0,
  };
}

/** The summary of a whole log. */
export function summarizeRun(id: string, entries: readonly AgentRunEntry[]): AgentRunSummary | null {
  return entries.reduce<AgentRunSummary | null>((summary, entry) => advanceSummary(id, summary, entry), null);
}
