import { replyOf, type ChatConversation } from "../chat/conversation.ts";
import { emptyScenario, emptyTurn, type EditedScenario } from "./edited-scenario.ts";

/** The models of a conversation that replied, with their column. */
export function answeringModels(conversation: ChatConversation): { column: number; model: string }[] {
  const models = new Map<number, string>();
  for (const exchange of conversation) {
    exchange.answers.forEach(({ model }, column) => {
      if (replyOf(exchange, column)) models.set(column, model);
    });
  }
  return [...models].map(([column, model]) => ({ column, model })).toSorted((a, b) => a.column - b.column);
}

/** A chat as a scenario: the user's messages, with one model's replies as references. Turns without a reply are left out. */
export function draftFromChat(conversation: ChatConversation, column: number): EditedScenario {
  const replies = conversation.flatMap((exchange) => {
    const reply = replyOf(exchange, exchange.answers[column] ? column : 0);
    return reply ? [{ message: exchange.message, reply: reply.content }] : [];
  });
  if (replies.length === 0) return emptyScenario;
  return {
    ...emptyScenario,
    id: idFrom(replies[0]?.message ?? ""),
    description: "Saved from a chat",
    tags: ["from-chat"],
    interactions: replies.map(({ message, reply }, index) => ({
      ...emptyTurn(`turn-${index + 1}`),
      user_message: message,
      reference_reply: reply,
    })),
  };
}

/** "Where is my order?" → "where-is-my-order". */
function idFrom(message: string): string {
  const words = message.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(0, 6).join("-").slice(0, 60) || "from-chat";
}
