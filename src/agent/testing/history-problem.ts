import { isRecord } from "../../base/json.ts";
import type { ChatMessage } from "../../contract/ports/chat-model.ts";

/** The problem that a strict provider would find in a history; null when it is valid. */
export function historyProblem(messages: readonly ChatMessage[]): string | null {
  const seen = new Set<string>();
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      if (!open.delete(message.tool_call_id)) return `message ${index} answers no open call`;
      continue;
    }
    if (open.size > 0) return `message ${index} comes before the results of ${[...open].join(", ")}`;
    if (message.role !== "assistant" || !message.tool_calls) continue;
    if (message.tool_calls.length === 0) return `message ${index} has an empty list of calls`;
    for (const call of message.tool_calls) {
      if (call.id === "" || seen.has(call.id)) return `message ${index} uses the id "${call.id}" again`;
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(call.name)) return `message ${index} calls "${call.name}"`;
      if (!isJsonObject(call.arguments)) return `message ${index} has the arguments ${call.arguments}`;
      seen.add(call.id);
    }
    open = new Set(message.tool_calls.map((call) => call.id));
  }
  return open.size > 0 ? `the history ends before the results of ${[...open].join(", ")}` : null;
}

function isJsonObject(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}
