import type { SuccessfulReply } from "../contract/ports/chat-model.ts";

/** A reply that no call of this run has brought, with what is known of it. */
export function unaskedReply(
  known: Pick<SuccessfulReply, "text" | "tool_calls" | "finish_reason" | "model" | "completion_id">,
): SuccessfulReply {
  return {
    ok: true,
    refusal: null,
    usage: null,
    system_fingerprint: null,
    service_tier: null,
    logprobs: null,
    metadata: null,
    latency_ms: 0,
    first_token_ms: null,
    tries: 0,
    ...known,
  };
}
