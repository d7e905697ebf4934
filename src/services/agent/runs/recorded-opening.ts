import type { PostponedTurn } from "../../../agent/agent-outcome.ts";
import { unaskedReply } from "../../../agent/unasked-reply.ts";
import type { AgentRunStarted } from "../../../contract/schemas/agent-run.ts";
import type { ChatMessage } from "../../../contract/ports/chat-model.ts";

/** What a run was given at its beginning. */
interface RecordedOpening {
  readonly messages: readonly ChatMessage[];
  /** There when it took up a reply whose client had answered its part: only such a one has calls without a result. */
  readonly postponed?: PostponedTurn;
}

export function toOpening({ messages, model_resolved }: AgentRunStarted): RecordedOpening {
  const at = messages.findLastIndex(({ role }) => role !== "tool");
  const asked = messages[at];
  const results = messages.slice(at + 1).filter((message) => message.role === "tool");
  if (asked?.role !== "assistant" || (asked.tool_calls ?? []).length <= results.length) return { messages };
  const reply = unaskedReply({
    text: asked.content,
    tool_calls: asked.tool_calls ?? [],
    finish_reason: "tool_calls",
    model: model_resolved,
    completion_id: "",
  });
  return { messages: messages.slice(0, at), postponed: { reply, results } };
}
