import type { AgentMessage } from "../../contract/schemas/agent-message.ts";
import { nameInText, type ChatMessage } from "../../contract/ports/chat-model.ts";

/**
 * The messages of a conversation as another agent backend takes them: the contract's own fields and nothing else,
 * so that a strict implementation accepts them too. The contract has no system type, so that text leads the first human message.
 */
export function toAgentMessages(request: readonly ChatMessage[]): readonly AgentMessage[] {
  const messages = request.map(nameInText);
  const system = messages.flatMap((message) => (message.role === "system" ? [message.content] : [])).join("\n\n");
  const conversation = messages.flatMap((message) => toAgentMessage(message) ?? []);
  return system === "" ? conversation : withInstructions(conversation, system);
}

function toAgentMessage(message: ChatMessage): AgentMessage | null {
  if (message.role === "system") return null;
  if (message.role === "user") return { type: "human", content: message.content };
  if (message.role === "assistant") return { type: "ai", content: message.content };
  return { type: "tool", content: message.content, ...(message.name !== undefined && { name: message.name }) };
}

function withInstructions(messages: readonly AgentMessage[], system: string): readonly AgentMessage[] {
  const instructions = `<system_instructions>\n${system}\n</system_instructions>`;
  const index = messages.findIndex(({ type }) => type === "human");
  if (index === -1) return [{ type: "human", content: instructions }, ...messages];
  return messages.map((message, position) =>
    position === index ? { ...message, content: `${instructions}\n\n${message.content}` } : message,
  );
}
