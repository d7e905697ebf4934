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

/** Of the five million characters a browser keeps, some are for drafts and the key. */
const mostCharacters = 3_000_000;

/** A browser keeps some megabytes: of a longer conversation the later part is there after a reload. */
export function saveConversation(conversation: Conversation): void {
  const text = JSON.stringify(conversation);
  try {
    if (text.length <= mostCharacters) return sessionStorage.setItem(key, text);
  } catch {
    // As long as the store is full, less of it is kept.
  }
  if (conversation.length > 0) saveConversation(conversation.slice(Math.ceil(conversation.length / 2)));
}
