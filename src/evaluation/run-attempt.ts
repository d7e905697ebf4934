import {
  lastingFailures,
  type ChatModel,
  type ModelParameters,
  type Reply,
  type SuccessfulReply,
} from "../contract/ports/chat-model.ts";
import { failedReplyText, type InteractionError, type StoredReply } from "../contract/schemas/interaction-result.ts";
import type { Scenario } from "../contract/schemas/scenario.ts";
import { toUsage } from "../contract/schemas/usage.ts";
import { conversationAt, generatedReply, referenceReply, type History } from "./conversation.ts";
import { runInLanes } from "./run-in-lanes.ts";

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

/** Of the replies of one attempt: all of them are held until it has ended, also by whoever goes on with it after a stop. */
const mostCharacters = 64 * 1024 * 1024;

const tooLong: InteractionError = {
  code: "upstream_reply_too_large",
  detail: `Not called: the replies of this attempt, with their labels, have more than ${mostCharacters} characters together.`,
  upstream_status: null,
  tries: 0,
  retryable: false,
};

/** The result of a turn that is not called because the replies before it are too long, else null. */
function notCalledForLength(replies: Iterable<StoredReply>): StoredReply | null {
  let characters = 0;
  for (const reply of replies) characters += reply.agent_reply.length + labelCharacters(reply);
  return characters > mostCharacters ? failedReply(tooLong, 0) : null;
}

/** Each reply is counted before every turn that follows it. */
const counted = new WeakMap<object, number>();

/** Labels may be as long as any text. */
function labelCharacters({ endpoint_metadata }: StoredReply): number {
  if (endpoint_metadata === null) return 0;
  const characters = counted.get(endpoint_metadata) ?? JSON.stringify(endpoint_metadata).length;
  counted.set(endpoint_metadata, characters);
  return characters;
}

/** The failure after which the rest of an attempt is not called: one that is certain to repeat, or any when asked to stop. */
function findBlockingFailure(replies: Iterable<StoredReply>, onFailure: "continue" | "stop"): InteractionError | null {
  for (const { error } of replies) if (error && (onFailure === "stop" || lastingFailures.has(error.code))) return error;
  return null;
}

/** The result of a turn that was not called because of an earlier failure. */
function notCalled({ code, retryable }: InteractionError): StoredReply {
  const detail = `Not called: an earlier turn of this attempt failed (${code}).`;
  return failedReply({ code, detail, upstream_status: null, tries: 0, retryable }, 0);
}

/**
 * What is kept of a model's answer. A failure becomes `Request failed` with its error beside it. A refusal counts as what the
 * model said; an empty text is a reply too. A tool call in place of a text is not: an evaluated model is offered no tools.
 */
export function toStoredReply(reply: Reply): StoredReply {
  if (!reply.ok) return failedReply(toInteractionError(reply.error), reply.latency_ms);

  const text = reply.text === "" ? (reply.refusal ?? "") : reply.text;
  if (text === "" && reply.tool_calls.length > 0)
    return { ...toReply(reply, failedReplyText), error: toolCallError(reply) };
  return toReply(reply, text);
}

/** The record of a turn that has no reply. */
function failedReply(error: InteractionError, latency_ms: number): StoredReply {
  return {
    agent_reply: failedReplyText,
    error,
    usage: null,
    latency_ms,
    first_token_ms: null,
    tries: error.tries,
    finish_reason: null,
    model: null,
    system_fingerprint: null,
    endpoint_metadata: null,
  };
}

function toReply(reply: SuccessfulReply, agent_reply: string): StoredReply {
  const { usage } = reply;
  return {
    agent_reply,
    error: null,
    usage: usage && toUsage(usage),
    latency_ms: reply.latency_ms,
    first_token_ms: reply.first_token_ms,
    tries: reply.tries,
    finish_reason: reply.finish_reason,
    model: reply.model,
    system_fingerprint: reply.system_fingerprint,
    endpoint_metadata: reply.metadata,
  };
}

/** `retry_after_ms` was for whoever retries; it says nothing about the stored turn. */
function toInteractionError({ code, detail, upstream_status, tries, retryable }: InteractionError): InteractionError {
  return { code, detail, upstream_status, tries, retryable };
}

function toolCallError({ tries }: SuccessfulReply): InteractionError {
  return {
    code: "upstream_invalid_reply",
    detail: "The model asked for a tool call instead of replying.",
    upstream_status: 200,
    tries,
    retryable: false,
  };
}
