import type { ChatMessage } from "../../contract/ports/chat-model.ts";

/** A demo looks at no more of a message than this, so that a huge one costs nothing. */
const longestRead = 2_000;

/** What the user said, oldest first. */
export function userTexts(messages: readonly ChatMessage[]): string[] {
  return messages.filter(({ role }) => role === "user").map(({ content }) => content.slice(0, longestRead));
}

/** The order number the user gave last, in any turn. */
export function findOrderNumber(messages: readonly ChatMessage[]): string | null {
  const numbers = userTexts(messages).map((text) => /(?<![\d.,€$])\d{4,8}(?![\d.,]*\d)/.exec(text)?.[0]);
  return numbers.findLast((number) => number !== undefined) ?? null;
}

/** The conversation as one text: equal for equal conversations. */
export function conversationText(messages: readonly ChatMessage[]): string {
  return messages.map(({ role, content }) => `${role}: ${content}`).join("\n");
}
