import type { StoredReply } from "../contract/schemas/interaction-result.ts";
import type { ChatMessage } from "../contract/ports/chat-model.ts";
import type { Interaction, Scenario } from "../contract/schemas/scenario.ts";
import { referenceReplies } from "./reference-replies.ts";

/** Whose replies the model sees for the turns before: its own, or the expected ones. */
export type History = "generated" | "reference";

interface ConversationOptions {
  readonly scenario: Scenario;
  /** For a scenario that brings none of its own. */
  readonly systemPrompt: string | undefined;
  readonly turn: number;
  /** What was said in a turn before, or null when that turn is not part of the conversation. */
  readonly replyOf: (turn: number) => string | null;
}

/**
 * The messages of one turn: everything said before it, then its user message. A turn without a reply leaves no trace. An empty system
 * prompt is none: there are endpoints that refuse an empty message.
 */
export function conversationAt({ scenario, systemPrompt, turn, replyOf }: ConversationOptions): ChatMessage[] {
  const content = scenario.system_prompt ?? systemPrompt;
  const messages: ChatMessage[] = content ? [{ role: "system", content }] : [];
  for (const [index, { user_message }] of scenario.interactions.entries()) {
    if (index > turn) break;
    const reply = index === turn ? undefined : replyOf(index);
    if (reply === null) continue;
    messages.push({ role: "user", content: user_message });
    if (reply !== undefined) messages.push({ role: "assistant", content: reply });
  }
  return messages;
}

/** A failed turn is no part of the conversation: the model never said `Request failed`. */
export function generatedReply(reply: Pick<StoredReply, "agent_reply" | "error"> | undefined): string | null {
  return !reply || reply.error ? null : reply.agent_reply;
}

/** The expected reply; a turn without one is no part of a conversation along the references. */
export function referenceReply(interaction: Interaction | undefined): string | null {
  return (interaction && referenceReplies(interaction)[0]) ?? null;
}
