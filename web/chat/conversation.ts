import type { AgentMessage, AgentReply } from "../../src/contract/schemas/agent-message.ts";
import type { RunTotal } from "../agent-api.ts";

export interface PlainFailure {
  readonly message: string;
  readonly detail: string;
  readonly hint: string;
  readonly code: string;
  /** What may have been meant. */
  readonly suggestions?: readonly string[];
}

/** A tool the agent used, or is using while `result` is null. */
export interface ToolUse {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  readonly ok: boolean;
  readonly result: string | null;
  readonly milliseconds: number | null;
}

/** What has come so far of an answer: it grows while the reply is streamed. */
interface Partly {
  readonly text: string;
  /** What the model thought before it said that, where its provider tells. */
  readonly thoughts?: string | undefined;
  readonly tools: readonly ToolUse[];
}

/** What one model made of one message. */
export type Answer = { readonly model: string } & Partly &
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
        /** Why what was decided about its tool calls was not accepted. */
        readonly refusal?: PlainFailure;
      }
    | { readonly state: "failed"; readonly failure: PlainFailure }
  );

/** One message and the answers to it, one per model asked. */
export interface Exchange {
  readonly id: string;
  readonly message: string;
  readonly answers: readonly Answer[];
}

export type Conversation = readonly Exchange[];

/**
 * The history a model sees: its own replies, or the first model's where it was not there yet.
 * An exchange without a reply is left out, so that a failure does not confuse the turns after it.
 */
export function toMessages(earlier: Conversation, column: number, message: string): AgentMessage[] {
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

/** A model's reply to a message; null while there is none, or while its tool calls wait for approval. */
export function replyOf(exchange: Exchange, column: number): AgentReply | null {
  const answer = exchange.answers[column];
  return answer?.state === "done" && openCalls(answer).length === 0 ? answer.reply : null;
}

export type DoneAnswer = Extract<Answer, { state: "done" }>;
export type OpenCall = AgentReply["tool_calls"][number];

/** Tool calls that wait for somebody's approval. A reply carries no others; some providers number those of each step anew. */
export const openCalls = ({ reply }: DoneAnswer): readonly OpenCall[] => reply.tool_calls;

/** The conversation with one answer replaced; unchanged when the exchange has gone. */
export const withAnswer = (
  conversation: Conversation,
  { id, column, answer }: { id: string; column: number; answer: Answer },
): Conversation =>
  conversation.map((exchange) =>
    exchange.id === id
      ? { ...exchange, answers: exchange.answers.map((old, index) => (index === column ? answer : old)) }
      : exchange,
  );

/** What a stopped or reloaded page makes of answers that never came. */
export const withoutWaiting = (conversation: Conversation): Conversation =>
  conversation.map((exchange) => ({
    ...exchange,
    answers: exchange.answers.map((answer) => (answer.state === "waiting" ? { ...answer, state: "stopped" } : answer)),
  }));

export const isWaiting = (conversation: Conversation): boolean =>
  conversation.some((exchange) => exchange.answers.some((answer) => answer.state === "waiting"));

/** Whether there is a reply that could serve as a reference. */
export const hasReply = (conversation: Conversation): boolean =>
  conversation.some((exchange) => exchange.answers.some((_, column) => replyOf(exchange, column) !== null));
