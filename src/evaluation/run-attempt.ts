import type { StoredReply } from "../contract/schemas/interaction-result.ts";
import type { ChatModel, ModelParameters } from "../contract/ports/chat-model.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import { conversationAt, generatedReply, referenceReply, type History } from "./conversation.ts";
import { findBlockingFailure, notCalled, notCalledForLength } from "./not-called.ts";
import { runInLanes } from "./run-in-lanes.ts";
import { toStoredReply } from "./to-stored-reply.ts";

export interface AttemptOptions {
  readonly scenario: Scenario;
  readonly model: ChatModel;
  readonly systemPrompt?: string | undefined;
  readonly parameters?: ModelParameters | undefined;
  /** What follows a failed turn: go on without it, or fail the rest without a call. */
  readonly onFailure: "continue" | "stop";
  readonly history?: History;
  /** Replies of an earlier run of this attempt, by turn. They are taken as they are; their turns are never called again. */
  readonly stored?: ReadonlyMap<number, StoredReply>;
  /** The checkpoint: awaited before the next turn starts. `false` ends the attempt where it is (the lease was lost). */
  readonly onReply: (turn: number, reply: StoredReply) => Promise<boolean | void>;
  /** Called with each piece of a reply's text as it arrives; asking for it makes the model stream. */
  readonly onText?: (turn: number, text: string) => void;
  /** Turns that may run side by side with `history: "reference"`. Default: all. */
  readonly concurrency?: number;
  /** The turns to run. Default: all of the scenario. */
  readonly turns?: readonly number[];
  /** Asked before each call; `false` ends the attempt where it is, and calls under way are still kept. */
  readonly admit?: () => boolean | Promise<boolean>;
  readonly signal: AbortSignal;
}

/** `completed` is false when `onReply` or `admit` ended the attempt early. `replies` holds every turn that has one. */
export interface AttemptOutcome {
  readonly completed: boolean;
  readonly replies: ReadonlyMap<number, StoredReply>;
}

/**
 * Runs one attempt: one fresh conversation that shares nothing with any other. With `generated` history turns run in order and
 * the model sees its own replies; with `reference` history it sees the expected ones, so turns run side by side.
 * A failed reply is a result like any other. Rejects only when `signal` aborts, or when `model` or `onReply` rejects.
 */
export async function runAttempt(options: AttemptOptions): Promise<AttemptOutcome> {
  const { scenario, history = "generated", onReply } = options;
  const replies = new Map(options.stored);
  const wanted = options.turns ?? [...scenario.interactions.keys()];
  const missing = wanted.filter((turn) => !replies.has(turn));

  const completed = await runInLanes(missing, {
    lanes: history === "reference" ? (options.concurrency ?? missing.length) : 1,
    signal: options.signal,
    ...(options.admit && { admit: options.admit }),
    run: (turn, signal) => runTurn(turn, { ...options, history, replies, signal }),
    keep: async (turn, reply) => {
      replies.set(turn, reply);
      return (await onReply(turn, reply)) !== false;
    },
  });
  return { completed, replies };
}

interface TurnOptions extends AttemptOptions {
  readonly history: History;
  readonly replies: ReadonlyMap<number, StoredReply>;
}

async function runTurn(turn: number, options: TurnOptions): Promise<StoredReply> {
  const { scenario, systemPrompt, parameters, history, replies, model, onText, signal } = options;
  const blocking = findBlockingFailure(replies.values(), options.onFailure);
  if (blocking) return notCalled(blocking);
  const tooLong = notCalledForLength(replies.values());
  if (tooLong) return tooLong;

  const replyOf = (earlier: number): string | null =>
    history === "reference" ? referenceReply(scenario.interactions[earlier]) : generatedReply(replies.get(earlier));
  const messages = conversationAt({ scenario, systemPrompt, turn, replyOf });
  const reply = await model(
    { messages, ...(parameters && { parameters }) },
    { signal, ...(onText && { onText: (text: string) => onText(turn, text) }) },
  );
  return toStoredReply(reply);
}
