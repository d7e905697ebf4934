import type { ChatMessage } from "../../contract/ports/chat-model.ts";
import { findOrderNumber, userTexts } from "./conversation.ts";
import { supportScript, type ScriptLine } from "./support-script.ts";
import { createTextIndex } from "./text-index.ts";

/** How much of a line a customer must say for it to be meant. */
const threshold = 0.5;
/** What it counts that a line is the one that usually comes next. */
const nextLineBonus = 0.15;

const lines = new Map(supportScript.map((line) => [line.id, line]));
const index = createTextIndex(supportScript.map(({ id, says }) => ({ id, phrases: says })));

/** The line of the script that answers the last thing the customer said, or null when there is none. */
export function findLine(messages: readonly ChatMessage[]): ScriptLine | null {
  const [said = "", before = ""] = userTexts(messages).toReversed();
  const previous = best(index.search(before));
  const ranked = index.search(said).flatMap(({ id, score }) => {
    const line = lines.get(id);
    if (!line || score === 0) return [];
    const isNext = previous !== null && line.after === previous.id;
    return { id, score: isNext ? score + nextLineBonus : score };
  });
  return best(ranked.toSorted((left, right) => right.score - left.score));
}

/** Puts the customer's own order into a reply. */
export function fillIn(reply: string, messages: readonly ChatMessage[]): string {
  const number = findOrderNumber(messages);
  return reply.replaceAll("{order}", number === null ? "your order" : `order ${number}`);
}

function best([first]: readonly { id: string; score: number }[]): ScriptLine | null {
  return first && first.score >= threshold ? (lines.get(first.id) ?? null) : null;
}
