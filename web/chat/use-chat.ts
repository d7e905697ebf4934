import { useSyncExternalStore } from "react";
import { askAgent, resumeAgent } from "../agent-api.ts";
import { createChatSession, type ChatSession } from "./chat-session.ts";
import type { Conversation } from "./conversation.ts";
import { loadConversation, saveConversation } from "./stored-conversation.ts";

/** One for the page, not for the screen: an answer goes on while the user looks at something else. */
const session = createChatSession({
  first: loadConversation(),
  ask: askAgent,
  resume: resumeAgent,
  save: saveConversation,
});

// Leaving the page ends its requests: that is no answer that broke off.
addEventListener("pagehide", session.stop);

export interface Chat extends Pick<ChatSession, "send" | "retry" | "decide" | "stop" | "clear" | "restore"> {
  readonly conversation: Conversation;
}

export function useChat(): Chat {
  const { send, retry, decide, stop, clear, restore } = session;
  const conversation = useSyncExternalStore(session.subscribe, session.conversation);
  return { conversation, send, retry, decide, stop, clear, restore };
}
