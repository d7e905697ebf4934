import type { ChatMessage, ChatRequest } from "../../contract/ports/chat-model.ts";

/** What stands for a message in which nothing was said: without it two of the same role would run together. */
export const noText = "(empty message)";

/** The same request, in which every message says something. */
export function withFilledMessages(request: ChatRequest): ChatRequest {
  return { ...request, messages: request.messages.map(fill) };
}

function fill(message: ChatMessage): ChatMessage {
  if (message.role !== "user" && message.role !== "assistant") return message;
  const isSaid = message.content.trim() !== "";
  const hasMore = message.role === "user" ? message.parts : message.tool_calls?.length;
  return isSaid || hasMore ? message : { ...message, content: noText };
}
