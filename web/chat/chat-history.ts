import { notifyStored } from "../parts/browser/storage.ts";
import { stopWaiting, type ChatConversation } from "./conversation.ts";

/** A conversation of this browser. */
export interface StoredChat {
  /** The id of its first exchange. */
  readonly id: string;
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly turns: number;
}

const indexKey = "rehearsal.chats";
const chatKey = (id: string): string => `rehearsal.chat.${id}`;
const mostChats = 50;
/** Browsers allow about five million characters for everything. */
const mostCharacters = 2_500_000;

/** The stored conversations, newest first. */
export function listChats(): readonly StoredChat[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(indexKey) ?? "[]");
    return Array.isArray(stored) ? (stored as StoredChat[]) : [];
  } catch {
    return [];
  }
}

/** Stores a conversation so that it outlives the tab. The oldest ones make room for it. */
export function storeChat(conversation: ChatConversation): void {
  const [first] = conversation;
  if (!first) return;
  const text = JSON.stringify(conversation);
  if (text.length > mostCharacters) return;
  const entry = { id: first.id, title: titleOf(first.message), at: Date.now(), turns: conversation.length };
  let others = listChats().filter(({ id }) => id !== entry.id);
  for (const { id } of others.slice(mostChats - 1)) localStorage.removeItem(chatKey(id));
  others = others.slice(0, mostChats - 1);
  for (;;) {
    try {
      localStorage.setItem(chatKey(entry.id), text);
      localStorage.setItem(indexKey, JSON.stringify([entry, ...others]));
      break;
    } catch {
      // The storage is full.
      const oldest = others.at(-1);
      if (!oldest) return;
      localStorage.removeItem(chatKey(oldest.id));
      others = others.slice(0, -1);
    }
  }
  notifyStored();
}

export function loadChat(id: string): ChatConversation {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(chatKey(id)) ?? "[]");
    return Array.isArray(stored) ? stopWaiting(stored as ChatConversation) : [];
  } catch {
    return [];
  }
}

export function removeChat(id: string): void {
  localStorage.removeItem(chatKey(id));
  localStorage.setItem(indexKey, JSON.stringify(listChats().filter((chat) => chat.id !== id)));
  notifyStored();
}

const titleOf = (message: string): string => message.replaceAll(/\s+/g, " ").trim().slice(0, 80);
