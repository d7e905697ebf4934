import { z } from "zod";
import { Cursor } from "../shared/cursor.ts";
import { Parameters } from "../evaluation-request.ts";

/** A tool call in LangChain's form, as in `AgentReply`. */
export const MessageToolCall = z
  .object({
    name: z.string(),
    args: z.record(z.string(), z.unknown()),
    id: z.string().nullish(),
    type: z.literal("tool_call").optional(),
  })
  .meta({ id: "MessageToolCall" });
export type MessageToolCall = z.infer<typeof MessageToolCall>;

/** One message of a conversation sent to POST /. Unknown keys are ignored, so a reply of POST / can be sent back as history. */
export const AgentMessage = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("human"), content: z.string() }),
    z.object({ type: z.literal("ai"), content: z.string(), tool_calls: z.array(MessageToolCall).nullish() }),
    z.object({
      type: z.literal("tool"),
      content: z.string(),
      name: z.string().nullish(),
      tool_call_id: z.string().nullish(),
    }),
  ])
  .meta({ id: "AgentMessage" });
export type AgentMessage = z.infer<typeof AgentMessage>;

/** Body of POST /. */
export const AgentRequest = z
  .object({
    messages: z.array(AgentMessage).min(1),
    system_prompt: z
      .string()
      .optional()
      .describe("Put before the conversation, for this turn only: a thread does not store it."),
    parameters: Parameters.optional().describe("Sampling settings of the model's calls in this turn."),
  })
  .meta({ id: "AgentRequest" });
export type AgentRequest = z.infer<typeof AgentRequest>;

/** One message of a stored conversation. */
export const ThreadMessage = z
  .discriminatedUnion("type", [...AgentMessage.options, z.object({ type: z.literal("system"), content: z.string() })])
  .meta({ id: "ThreadMessage" });
export type ThreadMessage = z.infer<typeof ThreadMessage>;

/** A conversation stored by the service: a turn sends only the new messages. */
export const AgentThread = z
  .object({
    id: z.string(),
    messages: z.array(ThreadMessage).readonly(),
    created_at: z.number().describe("Milliseconds since 1970."),
    updated_at: z.number(),
  })
  .meta({ id: "AgentThread" });
export type AgentThread = z.infer<typeof AgentThread>;

/** A stored conversation without its messages. */
export const AgentThreadSummary = AgentThread.omit({ messages: true }).meta({ id: "AgentThreadSummary" });
export type AgentThreadSummary = z.infer<typeof AgentThreadSummary>;

/** Query of GET /agent/threads. */
export const AgentThreadListQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: Cursor.optional(),
});

/** One page of threads, the one with the latest turn first. */
export const AgentThreadList = z
  .object({ threads: z.array(AgentThreadSummary), next_cursor: z.string().nullable() })
  .meta({ id: "AgentThreadList" });
export type AgentThreadList = z.infer<typeof AgentThreadList>;

const TokenUsageBody = z.object({
  completion_tokens: z.int(),
  prompt_tokens: z.int(),
  total_tokens: z.int(),
  completion_tokens_details: z.record(z.string(), z.unknown()).nullable(),
  prompt_tokens_details: z.record(z.string(), z.unknown()).nullable(),
});

/** Body of the response of POST /: every key is always present, and there are no others. */
export const AgentReply = z
  .object({
    content: z.string(),
    additional_kwargs: z.object({ refusal: z.string().nullable() }),
    response_metadata: z.object({
      token_usage: TokenUsageBody,
      model_name: z.string(),
      system_fingerprint: z.string().nullable(),
      id: z.string(),
      service_tier: z.string().nullable(),
      finish_reason: z.string(),
      logprobs: z.record(z.string(), z.unknown()).nullable(),
    }),
    type: z.literal("ai"),
    name: z.string().nullable(),
    id: z.string(),
    example: z.literal(false),
    tool_calls: z.array(
      z.object({
        name: z.string(),
        args: z.record(z.string(), z.unknown()),
        id: z.string(),
        type: z.literal("tool_call"),
      }),
    ),
    invalid_tool_calls: z.array(
      z.object({
        name: z.string(),
        args: z.string(),
        id: z.string(),
        error: z.string(),
        type: z.literal("invalid_tool_call"),
      }),
    ),
    usage_metadata: z.object({
      input_tokens: z.int(),
      output_tokens: z.int(),
      total_tokens: z.int(),
      input_token_details: z.record(z.string(), z.int()),
      output_token_details: z.record(z.string(), z.int()),
    }),
  })
  .meta({ id: "AgentReply" });
export type AgentReply = z.infer<typeof AgentReply>;
