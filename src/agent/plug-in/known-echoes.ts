import type { CallEcho, ChatMessage, ToolCall, UserMessage } from "../../contract/ports/chat-model.ts";

/**
 * What models want to see again beside their calls, and the pictures they are shown. A framework has messages of its own, which
 * may have no place for it: it is kept here, and put back by the id of the call, or by the words that stand for the picture.
 */
export function createKnownEchoes(messages: readonly ChatMessage[]) {
  const known = new Map<string, CallEcho>();
  const withPictures = new Map<string, UserMessage>();
  const learn = (calls: readonly ToolCall[] = []) => {
    for (const { id, echo } of calls) if (echo) known.set(id, echo);
  };
  for (const message of messages) {
    if (message.role === "assistant") learn(message.tool_calls);
    else if (message.role === "user" && message.parts) withPictures.set(message.content, message);
  }

  return {
    learn,
    restore(message: ChatMessage): ChatMessage {
      if (message.role === "user" && !message.parts) return withPictures.get(message.content) ?? message;
      if (known.size === 0 || message.role !== "assistant" || !message.tool_calls) return message;
      const tool_calls = message.tool_calls.map((call) => {
        const echo = call.echo ?? known.get(call.id);
        return echo ? { ...call, echo } : call;
      });
      return { ...message, tool_calls };
    },
  };
}
