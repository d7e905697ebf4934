import type { Reply, SuccessfulReply } from "../contract/ports/chat-model.ts";
import { failedReplyText, type InteractionError, type StoredReply } from "../contract/schemas/interaction-result.ts";
import { toUsage } from "../contract/schemas/usage.ts";

/**
 * What is kept of a model's answer. A failure becomes `Request failed` with its error beside it. A refusal counts as what the
 * model said; an empty text is a reply too. A tool call in place of a text is not: an evaluated model is offered no tools.
 */
export function toStoredReply(reply: Reply): StoredReply {
  if (!reply.ok) return failedReply(toInteractionError(reply.error), reply.latency_ms);

  const text = reply.text === "" ? (reply.refusal ?? "") : reply.text;
  if (text === "" && reply.tool_calls.length > 0)
    return { ...toReply(reply, failedReplyText), error: toolCallError(reply) };
  return toReply(reply, text);
}

/** The record of a turn that has no reply. */
export function failedReply(error: InteractionError, latency_ms: number): StoredReply {
  return {
    agent_reply: failedReplyText,
    error,
    usage: null,
    latency_ms,
    first_token_ms: null,
    tries: error.tries,
    finish_reason: null,
    model: null,
    system_fingerprint: null,
    endpoint_metadata: null,
  };
}

function toReply(reply: SuccessfulReply, agent_reply: string): StoredReply {
  const { usage } = reply;
  return {
    agent_reply,
    error: null,
    usage: usage && toUsage(usage),
    latency_ms: reply.latency_ms,
    first_token_ms: reply.first_token_ms,
    tries: reply.tries,
    finish_reason: reply.finish_reason,
    model: reply.model,
    system_fingerprint: reply.system_fingerprint,
    endpoint_metadata: reply.metadata,
  };
}

/** `retry_after_ms` was for whoever retries; it says nothing about the stored turn. */
function toInteractionError({ code, detail, upstream_status, tries, retryable }: InteractionError): InteractionError {
  return { code, detail, upstream_status, tries, retryable };
}

function toolCallError({ tries }: SuccessfulReply): InteractionError {
  return {
    code: "upstream_invalid_reply",
    detail: "The model asked for a tool call instead of replying.",
    upstream_status: 200,
    tries,
    retryable: false,
  };
}
