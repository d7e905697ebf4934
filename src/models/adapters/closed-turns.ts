import type { ChatMessage, ChatRequest } from "../../contract/ports/chat-model.ts";
import { noText } from "./filled-messages.ts";

/** The same request, in which a reply follows on every result of a tool before anybody else speaks: it may have been broken off. */
export function withClosedTurns(request: ChatRequest): ChatRequest {
  return { ...request, messages: request.messages.flatMap((message, at, all) => close(message, all[at + 1])) };
}

function close(message: ChatMessage, next: ChatMessage | undefined): readonly ChatMessage[] {
  const isOpen = message.role === "tool" && (next?.role === "user" || next?.role === "system");
  return isOpen ? [message, { role: "assistant", content: noText }] : [message];
}
