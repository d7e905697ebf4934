import type { SuccessfulReply } from "../ports/chat-model.ts";

/** An ordinary successful reply with this text. */
export function sampleReply(text: string, overrides: Partial<SuccessfulReply> = {}): SuccessfulReply {
  return {
    ok: true,
    text,
    refusal: null,
    tool_calls: [],
    finish_reason: "stop",
    usage: {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      prompt_tokens_details: null,
      completion_tokens_details: null,
    },
    model: "fake",
    completion_id: "chatcmpl-1",
    system_fingerprint: null,
    service_tier: null,
    logprobs: null,
    metadata: null,
    latency_ms: 1,
    first_token_ms: null,
    tries: 1,
    ...overrides,
  };
}
