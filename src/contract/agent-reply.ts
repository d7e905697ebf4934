import { z } from "zod";

const TokenUsageBody = z.object({
  completion_tokens: z.int(),
  prompt_tokens: z.int(),
  total_tokens: z.int(),
  completion_tokens_details: z.record(z.string(), z.unknown()).nullable(),
  prompt_tokens_details: z.record(z.string(), z.unknown()).nullable(),
});

/** Body of the answer to POST /: every key always present, no others. */
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
