import type { PostponedTurn } from "../../../agent/agent-outcome.ts";
import type { AgentRunStarted } from "../../../contract/agent-run.ts";
import type { ChatMessage, SuccessfulReply, ToolCall } from "../../../contract/model.ts";

/** What a run was given at its beginning. */
export interface RecordedOpening {
  readonly messages: readonly ChatMessage[];
  /** There when it took up a reply whose client had answered its part: only such a one has calls without a result. */
  readonly postponed?: PostponedTurn;
}

export function toOpening({ messages, model_resolved }: AgentRunStarted): RecordedOpening {
  const at = messages.findLastIndex(({ role }) => role !== "tool");
  const asked = messages[at];
  const results = messages.slice(at + 1).filter((message) => message.role === "tool");
  if (asked?.role !== "assistant" || (asked.tool_calls ?? []).length <= results.length) return { messages };
  const reply = toReply(asked.content, asked.tool_calls ?? [], model_resolved);
  return { messages: messages.slice(0, at), postponed: { reply, results } };
}

function toReply(text: string, tool_calls: readonly ToolCall[], model: string): SuccessfulReply {
  return {
    ok: true,
    text,
    refusal: null,
    tool_calls,
    finish_reason: "tool_calls",
    usage: null,
    model,
    completion_id: "",
    system_fingerprint: null,
    service_tier: null,
    logprobs: null,
    metadata: null,
    latency_ms: 0,
    first_token_ms: null,
    tries: 0,
  };
}
