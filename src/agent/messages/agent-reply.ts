import type { AgentReply } from "../../contract/schemas/agent/agent-message.ts";
import type { TokenUsage } from "../../contract/ports/chat-model.ts";
import type { SuccessfulOutcome } from "../loop/agent-outcome.ts";

/**
 * The last message of a run in LangChain's shape, the response body of POST /. Usage is that of the last model call; the outcome has
 * the usage of the whole run. Invalid calls of earlier model calls are not part of this message.
 */
export function toAgentReply(outcome: SuccessfulOutcome, id = `run--${crypto.randomUUID()}`): AgentReply {
  const { reply } = outcome;
  const usage = withTotal(reply.usage ?? noTokens);
  return {
    content: reply.text,
    additional_kwargs: { refusal: reply.refusal },
    response_metadata: {
      token_usage: usage,
      model_name: reply.model,
      system_fingerprint: reply.system_fingerprint,
      id: reply.completion_id,
      service_tier: reply.service_tier,
      finish_reason: outcome.finish_reason,
      logprobs: reply.logprobs && { ...reply.logprobs },
    },
    type: "ai",
    name: null,
    id,
    example: false,
    tool_calls: outcome.pending_tool_calls.map(({ name, args, id: callId }) => ({
      name,
      args: { ...args },
      id: callId,
      type: "tool_call",
    })),
    invalid_tool_calls: outcome.invalid_tool_calls
      .filter((call) => call.model_call === outcome.model_calls)
      .map(({ name, args, id: callId, error }) => ({ name, args, id: callId, error, type: "invalid_tool_call" })),
    usage_metadata: toUsageMetadata(usage),
  };
}

type TokenUsageBody = AgentReply["response_metadata"]["token_usage"];

const noTokens: TokenUsage = {
  completion_tokens: 0,
  prompt_tokens: 0,
  total_tokens: 0,
  completion_tokens_details: null,
  prompt_tokens_details: null,
};

/** Some endpoints leave the total out. */
function withTotal(usage: TokenUsage): TokenUsageBody {
  const { completion_tokens, prompt_tokens, total_tokens, completion_tokens_details, prompt_tokens_details } = usage;
  return {
    completion_tokens,
    prompt_tokens,
    total_tokens: total_tokens > 0 ? total_tokens : prompt_tokens + completion_tokens,
    completion_tokens_details: completion_tokens_details && { ...completion_tokens_details },
    prompt_tokens_details: prompt_tokens_details && { ...prompt_tokens_details },
  };
}

function toUsageMetadata(usage: TokenUsageBody): AgentReply["usage_metadata"] {
  return {
    input_tokens: usage.prompt_tokens,
    output_tokens: usage.completion_tokens,
    total_tokens: usage.total_tokens,
    input_token_details: pickCounts(usage.prompt_tokens_details, inputDetails),
    output_token_details: pickCounts(usage.completion_tokens_details, outputDetails),
  };
}

/** LangChain's name ← the provider's. */
const inputDetails = { audio: "audio_tokens", cache_read: "cached_tokens", cache_creation: "cache_write_tokens" };
const outputDetails = { audio: "audio_tokens", reasoning: "reasoning_tokens" };

function pickCounts(
  details: Readonly<Record<string, unknown>> | null,
  names: Readonly<Record<string, string>>,
): Record<string, number> {
  const counts: Record<string, number> = {};
  if (details === null) return counts;
  for (const [name, providerName] of Object.entries(names)) {
    const count = details[providerName];
    if (Number.isInteger(count)) counts[name] = count as number;
  }
  return counts;
}
