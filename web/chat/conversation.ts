import type { AgentMessage, AgentReply } from "../../src/contract/schemas/agent/agent-message.ts";
import type { RunTotal } from "../api/agent.ts";

export interface AnswerFailureDetails {
  readonly message: string;
  readonly detail: string;
  readonly hint: string;
  readonly code: string;
  readonly suggestions?: readonly string[];
}

/** A tool call; `result` is null while it runs. */
export interface ToolUse {
  /** The text that the model wrote before this call. */
  readonly before?: string | undefined;
  /** The decision of a person, if it waited for approval. */
  readonly decision?: "approved" | "changed" | "denied" | undefined;
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  readonly ok: boolean;
  readonly result: string | null;
  readonly milliseconds: number | null;
}

/** The content so far; it grows while the answer streams in. */
interface AnswerProgress {
  /** Text since the last tool call. */
  readonly text: string;
  /** Reasoning, if the provider reports it. */
  readonly thoughts?: string | undefined;
  readonly tools: readonly ToolUse[];
}

/** The answer of one model to one message. */
export type Answer = { readonly model: string } & AnswerProgress &
  (
    | { readonly state: "waiting" }
    | { readonly state: "stopped" }
    | {
        readonly state: "done";
        readonly reply: AgentReply;
        readonly milliseconds: number;
        readonly cost: number | null;
        readonly total: RunTotal | null;
        readonly runId: string | null;
        /** Why the last decision about its tool calls was rejected. */
        readonly refusal?: AnswerFailureDetails;
      }
    | { readonly state: "failed"; readonly failure: AnswerFailureDetails }
  );

/** A message and one answer per model. */
export interface ChatExchange {
  readonly id: string;
  readonly message: string;
  readonly answers: readonly Answer[];
}

export type ChatConversation = readonly ChatExchange[];

/**
 * The history sent to a model: its own replies, or those of the first model from before it was added. Exchanges without a
 * reply are left out, so that a failure does not confuse later turns.
 */
export function toMessages(earlier: ChatConversation, column: number, message: string): AgentMessage[] {
  const history = earlier.flatMap((exchange): AgentMessage[] => {
    const reply = replyOf(exchange, column) ?? replyOf(exchange, 0);
    if (!reply) return [];
    return [
      { type: "human", content: exchange.message },
      { type: "ai", content: reply.content },
    ];
  });
  return [...history, { type: "human", content: message }];
}

/** The reply of a model; null when it is missing, or while tool calls wait for approval. */
export function replyOf(exchange: ChatExchange, column: number): AgentReply | null {
  const answer = exchange.answers[column];
  return answer?.state === "done" && openCalls(answer).length === 0 ? answer.reply : null;
}

export type DoneAnswer = Extract<Answer, { state: "done" }>;
export type OpenCall = AgentReply["tool_calls"][number];

/** Tool calls that wait for approval; a reply carries no others. */
export const openCalls = ({ reply }: DoneAnswer): readonly OpenCall[] => reply.tool_calls;

/** The conversation with one answer replaced; unchanged when the exchange no longer exists. */
export const withAnswer = (
  conversation: ChatConversation,
  { id, column, answer }: { id: string; column: number; answer: Answer },
): ChatConversation =>
  conversation.map((exchange) =>
    exchange.id === id
      ? { ...exchange, answers: exchange.answers.map((old, index) => (index === column ? answer : old)) }
      : exchange,
  );

/** Marks waiting answers as stopped. */
export const stopWaiting = (conversation: ChatConversation): ChatConversation =>
  conversation.map((exchange) => ({
    ...exchange,
    answers: exchange.answers.map((answer) => (answer.state === "waiting" ? { ...answer, state: "stopped" } : answer)),
  }));

export const isWaiting = (conversation: ChatConversation): boolean =>
  conversation.some((exchange) => exchange.answers.some((answer) => answer.state === "waiting"));

/** Whether there is a reply that could serve as a reference. */
export const hasReply = (conversation: ChatConversation): boolean =>
  conversation.some((exchange) => exchange.answers.some((_, column) => replyOf(exchange, column) !== null));

const key = "rehearsal.conversation.2";

/** Restores the conversation of this tab after a reload. */
export function loadConversation(): ChatConversation {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key) ?? "[]");
    return Array.isArray(stored) ? stopWaiting(stored as ChatConversation) : [];
  } catch {
    return [];
  }
}

/** Browsers allow about five million characters; the rest is for drafts. */
const mostCharacters = 3_000_000;

/** Stores as much of the end of a conversation as fits. */
export function saveConversation(conversation: ChatConversation): void {
  const text = JSON.stringify(conversation);
  try {
    if (text.length <= mostCharacters) return sessionStorage.setItem(key, text);
  } catch {
    // The storage is full: the second half is tried.
  }
  if (conversation.length > 0) saveConversation(conversation.slice(Math.ceil(conversation.length / 2)));
}
