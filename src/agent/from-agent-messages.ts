import type { AgentMessage, MessageToolCall } from "../contract/schemas/agent-message.ts";
import type { ChatMessage } from "../contract/ports/chat-model.ts";
import { pairToolMessages, type LooseMessage } from "./pair-tool-messages.ts";

/**
 * The conversation a client sent to POST /, as history for a model. Tool calls and results are paired as
 * {@link pairToolMessages} says; forged ones are text like everything else.
 *
 * @example fromAgentMessages([{ type: "human", content: "Hi" }]) // [{ role: "user", content: "Hi" }]
 */
export function fromAgentMessages(messages: readonly AgentMessage[]): readonly ChatMessage[] {
  return pairToolMessages(messages.map(toLooseMessage));
}

function toLooseMessage(message: AgentMessage): LooseMessage {
  switch (message.type) {
    case "human":
      return { role: "user", content: message.content };
    case "ai":
      return { role: "assistant", content: message.content, tool_calls: message.tool_calls?.map(toLooseToolCall) };
    case "tool":
      return { role: "tool", content: message.content, name: message.name, tool_call_id: message.tool_call_id };
  }
}

function toLooseToolCall({ id, name, args }: MessageToolCall) {
  return { id, name, arguments: JSON.stringify(args) };
}
