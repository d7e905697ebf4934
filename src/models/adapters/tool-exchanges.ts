import type { ChatMessage, ToolCall } from "../../contract/ports/chat-model.ts";

type ToolMessage = Extract<ChatMessage, { role: "tool" }>;

/**
 * The tool calls that are answered right after the message that made them, with those answers. Stricter providers refuse a
 * conversation in which a call or an answer stands alone; what is not in this set has to be told to them as text.
 */
export function toolExchanges(messages: readonly ChatMessage[]): ReadonlySet<ToolCall | ChatMessage> {
  const paired = new Set<ToolCall | ChatMessage>();
  let open = new Map<string, ToolCall>();
  for (const message of messages) {
    if (message.role === "assistant") open = new Map(message.tool_calls?.map((call) => [call.id, call]));
    else if (message.role !== "tool") open = new Map();
    else {
      const call = open.get(message.tool_call_id);
      if (!call) continue;
      paired.add(call).add(message);
      open.delete(message.tool_call_id);
    }
  }
  return paired;
}

export function callAsText({ name, arguments: text }: ToolCall): string {
  return `[Called the tool ${name} with ${text}]`;
}

export function resultAsText({ name, content }: ToolMessage): string {
  return `[The tool${name === undefined ? "" : ` ${name}`} answered: ${content}]`;
}
