import type { ChatMessage } from "../../contract/ports/chat-model.ts";
import type { StoredReply } from "../../contract/schemas/interaction-result.ts";
import type { Interaction, Scenario } from "../../contract/schemas/scenario.ts";

/** The replies shown to the model for earlier turns: its own (`generated`) or the expected ones (`reference`). */
export type AttemptHistory = "generated" | "reference";

interface ConversationOptions {
  readonly scenario: Scenario;
  /** Used when the scenario has no system prompt. */
  readonly systemPrompt: string | undefined;
  readonly turn: number;
  /** The user's message of a turn. Default: that of the script. */
  readonly messageOf?: ((turn: number) => string | undefined) | undefined;
  /** The messages that follow the user's in an earlier turn; null leaves that turn out of the conversation. */
  readonly answerOf: (turn: number) => readonly ChatMessage[] | null;
}

/**
 * The messages of one turn: the conversation before it, then its user message. Turns without a reply are left out, and so is
 * an empty system prompt, because some endpoints refuse empty messages.
 */
export function conversationAt({
  scenario,
  systemPrompt,
  turn,
  messageOf,
  answerOf,
}: ConversationOptions): ChatMessage[] {
  const content = scenario.system_prompt ?? systemPrompt;
  const messages: ChatMessage[] = content ? [{ role: "system", content }] : [];
  for (const [index, { user_message, prompt = user_message }] of scenario.interactions.entries()) {
    if (index > turn) break;
    const answer = index === turn ? [] : answerOf(index);
    if (answer === null) continue;
    messages.push({ role: "user", content: messageOf?.(index) ?? prompt }, ...answer);
  }
  return messages;
}

/** The user's message of a turn that was run: that of the script, or of the simulated user. */
export function userMessage(
  { user_message }: Pick<Interaction, "user_message">,
  reply: Pick<StoredReply, "user_turn"> | undefined,
): string {
  return reply?.user_turn?.message ?? user_message;
}

/** The model's own reply; null for a failed turn, since the model never said `Request failed`. */
export function generatedReply(reply: Pick<StoredReply, "agent_reply" | "error"> | undefined): string | null {
  return !reply || reply.error ? null : reply.agent_reply;
}

/** The first expected reply; null when the turn has none. */
export function referenceReply(interaction: Interaction | undefined): string | null {
  return (interaction && referenceReplies(interaction)[0]) ?? null;
}

/** References beyond this many are ignored wherever each one is examined, to bound the time spent. */
export const maxReferences = 1_000;

/** Every acceptable reply. An empty `reference_reply` means none; an empty entry of `references` means that an empty reply is right. */
export function referenceReplies({
  reference_reply,
  references = [],
}: Pick<Interaction, "reference_reply" | "references">): readonly string[] {
  return reference_reply.trim() === "" ? references : [reference_reply, ...references];
}
