import { compact } from "../../base/compact.ts";
import type { Reply, ReplyError, SuccessfulReply } from "../../contract/ports/chat-model.ts";
import { failedReplyText, type InteractionError, type StoredReply } from "../../contract/schemas/interaction-result.ts";
import type { Interaction } from "../../contract/schemas/scenario.ts";
import { toUsage } from "../../contract/schemas/shared/usage.ts";
import { recordedCalls } from "./recorded-calls.ts";

/** The stored form of a reply. A failure becomes `Request failed` with its error. A refusal, an empty text or a tool call is a reply. */
export function toStoredReply(reply: Reply): StoredReply {
  if (!reply.ok) return failedTurnReply(toInteractionError(reply.error), reply.latency_ms);
  return toChatReply(reply, reply.text === "" ? (reply.refusal ?? "") : reply.text);
}

/** The stored form of a reply that was recorded elsewhere. */
export function recordedReply(turn: Pick<Interaction, "agent_reply" | "tool_calls"> | undefined): StoredReply {
  return compact({
    agent_reply: turn?.agent_reply ?? "",
    error: null,
    usage: null,
    latency_ms: 0,
    first_token_ms: null,
    tries: 0,
    finish_reason: null,
    model: null,
    system_fingerprint: null,
    endpoint_metadata: null,
    tool_calls: turn?.tool_calls,
  });
}

/** A turn without a usable reply. */
export function failedTurnReply(error: InteractionError, latency_ms: number): StoredReply {
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

function toChatReply(reply: SuccessfulReply, agent_reply: string): StoredReply {
  const { usage } = reply;
  const tool_calls = recordedCalls(reply);
  return compact({
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
    tool_calls: tool_calls.length > 0 ? tool_calls : undefined,
    context: reply.context && [...reply.context],
    calls_seen: reply.calls_unseen && "none",
    session_id: reply.session_id,
    greeting: reply.greeting,
  });
}

/** Drops `retry_after_ms`, which only concerned the retries. */
export function toInteractionError({
  code,
  detail,
  upstream_status,
  tries,
  retryable,
  upstream_message,
}: ReplyError): InteractionError {
  const said = upstream_message === undefined ? {} : { upstream_message };
  return { code, detail, upstream_status, tries, retryable, ...said };
}
