import { withoutWaiting, type Conversation } from "./conversation.ts";

const key = "rehearsal.conversation.2";

/** The conversation of this tab, as a reload left it. */
export function loadConversation(): Conversation {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key) ?? "[]");
    return Array.isArray(stored) ? withoutWaiting(stored as Conversation) : [];
  } catch {
    return [];
  }
}

/** A browser keeps some megabytes: of a longer conversation the later part is there after a reload. */
export function saveConversation(conversation: Conversation): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(conversation));
  } catch {
    if (conversation.length > 0) saveConversation(conversation.slice(Math.ceil(conversation.length / 2)));
  }
}
