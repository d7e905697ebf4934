import { compact } from "../../base/compact.ts";
import {
  permanentFailures,
  type ChatMessage,
  type ChatModel,
  type ModelParameters,
  type TraceContext,
} from "../../contract/ports/chat-model.ts";
import type { JournalEntry, WorldEntry } from "../../contract/ports/journal.ts";
import type { InteractionError, StoredReply } from "../../contract/schemas/interaction-result.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import type { CallReporting } from "../../contract/protocols/protocols.ts";
import type { UserEnd, UserTurn } from "../../contract/schemas/acting/user-turn.ts";
import { conversationAt, referenceReply, type AttemptHistory } from "../conversation/conversation.ts";
import { callCharacters, markUnseenCalls, replyMessages, withoutEarlierCalls } from "../conversation/recorded-calls.ts";
import { runConcurrently } from "../helpers/run-concurrently.ts";
import type { AttemptUser } from "../simulation/attempt-user.ts";
import { failedTurnReply, recordedReply, toStoredReply } from "../conversation/stored-reply.ts";
import { openAt } from "../world/final-state.ts";
import { ForeignWorld, type OpenAgentWorld } from "../world/foreign-agent.ts";
import { WorldLimitError } from "../world/limits.ts";
import { journaledExchange, runToolLoop, worldLimitFailure, type ToolLoopOptions } from "../world/tool-loop.ts";
import type { PreparedWorld, WorldSession } from "../world/world.ts";

/** Concurrent calls of one attempt with reference history, unless the run sets fewer. */
export const maxReferenceConcurrency = 16;

export interface AttemptOptions {
  readonly scenario: Scenario;
  readonly model: ChatModel;
  readonly systemPrompt?: string | undefined;
  readonly parameters?: ModelParameters | undefined;
  /** After a failed turn: go on without it, or fail the remaining turns without calling the model. */
  readonly onFailure: "continue" | "stop";
  readonly history?: AttemptHistory;
  /** Replies stored before an interruption, by turn. These turns are not called again. */
  readonly stored?: ReadonlyMap<number, StoredReply>;
  /** The checkpoint, awaited before the next turn starts. `false` ends the attempt (the lease was lost). */
  readonly onReply: (turn: number, reply: StoredReply) => Promise<boolean | void>;
  /** Called with each piece of a reply as it arrives; setting it makes the model stream. */
  readonly onText?: (turn: number, text: string) => void;
  /** Concurrent turns with `history: "reference"`. Default: all. */
  readonly concurrency?: number;
  /** The turns to run. Default: all of the scenario. */
  readonly turns?: readonly number[] | undefined;
  /** Awaited before each call; `false` ends the attempt, but replies of calls under way are kept. */
  readonly admit?: (() => boolean | Promise<boolean>) | undefined;
  /** The world in which the model acts. Without one, a turn ends with its first reply. */
  readonly world?: AttemptWorld | undefined;
  /** The reply of a turn with what else was seen of it. Default: as the endpoint gave it. */
  readonly observe?: ((turn: number, reply: StoredReply, signal: AbortSignal) => Promise<StoredReply>) | undefined;
  /** Identifies the conversation at endpoints that keep conversations. Default: none. */
  readonly sessionId?: string | undefined;
  /** The trace context of the calls of a turn. Default: none is sent. */
  readonly traceOf?: ((turn: number) => TraceContext) | undefined;
  /** Whether answers of the endpoint show tool calls. Default: always. */
  readonly callReporting?: CallReporting | undefined;
  /** The replies are those of the scenario, and no model is called. Default: false. */
  readonly recorded?: boolean;
  /** Writes the messages of simulated turns. Requires generated history. */
  readonly user?: AttemptUser | undefined;
  /** Called with the error of work at the end of the conversation, which changes no result. */
  readonly onEndError?: ((error: unknown) => void) | undefined;
  readonly signal: AbortSignal;
}

/** The world of an attempt, and the journal of what was done in it. */
export interface AttemptWorld extends Pick<ToolLoopOptions, "costOf"> {
  readonly prepared: PreparedWorld;
  /** The seed of its faults. Default: none happens. */
  readonly faultSeed?: string | undefined;
  /** The entries of a turn that were stored before an interruption. */
  readonly entriesOf: (turn: number) => readonly WorldEntry[];
  /** Stores entries of a turn, awaited before its next step. */
  readonly append: (turn: number, entries: readonly JournalEntry[]) => Promise<void>;
  /** Set for an agent with a tool loop of its own, which calls the tools through a private endpoint. */
  readonly open?: OpenAgentWorld | undefined;
  /** Called after each reply with tool calls; first with the restored part of the turn, if any. */
  readonly onStep?: (turn: number, soFar: StoredReply, step: { readonly restored: boolean }) => void;
}

/** `completed` is false when `onReply` or `admit` ended the attempt early. `replies` holds the turns that ran. */
export interface AttemptOutcome {
  readonly completed: boolean;
  readonly replies: ReadonlyMap<number, StoredReply>;
  /** How the conversation with a simulated user ended, when it did. */
  readonly end?: UserEnd;
}

/**
 * Runs one attempt: a fresh conversation that shares nothing with any other. With `generated` history, turns run in order and the
 * model sees its own replies; with `reference` history it sees the expected ones, so turns run concurrently. A failed reply is a
 * result like any other: rejects only when `signal` aborts, or when `model` or `onReply` rejects.
 */
export async function runAttempt(options: AttemptOptions): Promise<AttemptOutcome> {
  const { history = "generated" } = options;
  const replies = new Map(options.stored);
  const world = options.world && new WorldOfPass(options.world, { ...options, history, stored: replies });
  const over = new AbortController();
  const endings: (() => Promise<void>)[] = [];
  const session = { sessionEnd: over.signal, onEnd: (work: () => Promise<void>) => void endings.push(work) };
  try {
    return await runTurns({ ...options, ...session, history, replies, worldOfPass: world });
  } finally {
    over.abort();
    await Promise.all(endings.map((end) => end().catch((error: unknown) => options.onEndError?.(error))));
    await world?.close();
  }
}

async function runTurns(
  options: TurnOptions & { readonly replies: Map<number, StoredReply> },
): Promise<AttemptOutcome> {
  const { scenario, history, replies, worldOfPass: world, onReply } = options;
  const wanted = options.turns ?? [...scenario.interactions.keys()];
  const missing = wanted.filter((turn) => !replies.has(turn));
  if (options.user) return runWithUser(options.user, options);

  const completed = await runConcurrently(missing, {
    lanes: history === "reference" ? (options.concurrency ?? missing.length) : 1,
    signal: options.signal,
    admit: options.admit,
    run: (turn, signal) => runTurn(turn, { ...options, history, replies, worldOfPass: world, signal }),
    keep: async (turn, reply) => {
      replies.set(turn, reply);
      return (await onReply(turn, reply)) !== false;
    },
  });
  return { completed, replies };
}

/** Runs turns until the user ends the conversation or none is left. */
async function runWithUser(
  user: AttemptUser,
  options: TurnOptions & { readonly replies: Map<number, StoredReply> },
): Promise<AttemptOutcome> {
  const { scenario, replies, admit, onReply, signal } = options;
  for (const [turn, { simulated }] of scenario.interactions.entries()) {
    if (replies.has(turn)) continue;
    signal.throwIfAborted();
    const step = simulated ? await user.next(turn, replies, signal) : undefined;
    if (step === null) return { completed: false, replies };
    if (step?.end) return { completed: true, replies, end: step.end };
    if ((await admit?.()) === false) return { completed: false, replies };
    const reply = await runTurn(turn, { ...options, userTurn: step?.turn });
    replies.set(turn, step ? { ...reply, user_turn: step.turn } : reply);
    if ((await onReply(turn, replies.get(turn) as StoredReply)) === false) return { completed: false, replies };
  }
  const last = await user.next(scenario.interactions.length, replies, signal);
  return compact({ completed: true, replies, end: last?.end });
}

interface TurnOptions extends AttemptOptions {
  readonly history: AttemptHistory;
  readonly replies: ReadonlyMap<number, StoredReply>;
  readonly worldOfPass: WorldOfPass | undefined;
  /** Aborts when the attempt is over. */
  readonly sessionEnd: AbortSignal;
  readonly onEnd: (work: () => Promise<void>) => void;
  /** The message of this turn, when a simulated user wrote it. */
  readonly userTurn?: UserTurn | undefined;
}

async function runTurn(turn: number, options: TurnOptions): Promise<StoredReply> {
  const reply = await askTurn(turn, options);
  const { observe, recorded, signal } = options;
  // A turn that was not called has nothing to see.
  return observe && !recorded && !isUncalled(reply) ? observe(turn, reply, signal) : reply;
}

const isUncalled = ({ error, tries }: StoredReply): boolean => error !== null && tries === 0;

async function askTurn(turn: number, options: TurnOptions): Promise<StoredReply> {
  const { scenario, systemPrompt, parameters, history, replies, onText, signal } = options;
  if (options.recorded) return recordedReply(scenario.interactions[turn]);
  const model = withTrace(turn, options, withSession(turn, options));
  const blocking = findBlockingFailure(replies.values(), options.onFailure);
  if (blocking) return notCalled(blocking);
  const tooLong = notCalledForLength(replies.values());
  if (tooLong) return tooLong;

  const answerOf = (earlier: number): readonly ChatMessage[] | null => {
    if (history === "generated") {
      const said = generatedMessages(replies.get(earlier));
      return said && [...(options.worldOfPass?.exchangeOf(earlier) ?? []), ...said];
    }
    const content = referenceReply(scenario.interactions[earlier]);
    return content === null ? null : [{ role: "assistant", content }];
  };
  // A scripted turn sends the message of the script.
  const messageOf = (index: number): string | undefined =>
    (index === turn ? options.userTurn : replies.get(index)?.user_turn)?.message;
  const messages = conversationAt({ scenario, systemPrompt, turn, messageOf, answerOf });
  if (options.worldOfPass) return options.worldOfPass.run(turn, { ...options, model, messages, signal });
  const reply = await model(
    compact({ messages, parameters }),
    compact({ signal, onText: onText && ((text: string) => onText(turn, text)) }),
  );
  return toStoredReply(reply);
}

function withTrace(turn: number, { traceOf }: Pick<TurnOptions, "traceOf">, model: ChatModel): ChatModel {
  const trace = traceOf?.(turn);
  return trace ? (request, asked) => model(request, { ...asked, trace }) : model;
}

/**
 * The model with the session of the attempt. With reference history every turn is a conversation of its own. An endpoint may give
 * the session an id in its first reply, which the later calls send.
 */
function withSession(turn: number, options: TurnOptions): ChatModel {
  const { sessionId, sessionEnd: end, onEnd, history, replies, callReporting = "always" } = options;
  const model = markUnseenCalls(options.model, callReporting);
  if (sessionId === undefined) return model;
  const isShared = history === "generated";
  const id = isShared ? sessionId : `${sessionId}-${turn + 1}`;
  const earlier = isShared
    ? [...replies.keys()].filter((index) => index < turn).toSorted((left, right) => right - left)
    : [];
  const known = earlier.map((index) => replies.get(index)?.session_id).find((found) => found !== undefined);
  let issued = known === id ? undefined : known;
  const earlierCalls = earlier
    .flatMap((index) => replies.get(index)?.tool_calls ?? [])
    .filter(({ source }) => source === undefined);
  return async (request, asked) => {
    const session = { ...asked.session, id, issued };
    const reply = await model(request, { ...asked, session, progress: { turns: earlier.length, end, onEnd } });
    if (reply.ok && reply.session_id !== undefined && reply.session_id !== id) issued = reply.session_id;
    return isShared ? withoutEarlierCalls(reply, earlierCalls) : reply;
  };
}

/**
 * The world of one pass through the turns. With generated history, all turns act in one world, one after the other. With reference
 * history, each turn acts in a world of its own, in which the reference calls of the earlier turns were carried out.
 */
class WorldOfPass {
  readonly #world: AttemptWorld;
  readonly #scenario: Scenario;
  readonly #shared: WorldSession | null;
  readonly #exchanges = new Map<number, readonly ChatMessage[]>();
  readonly #foreign: ForeignWorld | null;

  constructor(
    world: AttemptWorld,
    { scenario, history, stored }: Pick<TurnOptions, "scenario" | "history"> & { stored: TurnOptions["replies"] },
  ) {
    this.#world = world;
    this.#scenario = scenario;
    this.#shared = history === "generated" ? world.prepared.open(world.faultSeed) : null;
    this.#foreign = world.open ? new ForeignWorld(world.prepared, world.open, world.faultSeed) : null;
    if (!this.#shared) return;
    for (const turn of [...stored.keys()].toSorted((left, right) => left - right)) {
      const entries = world.entriesOf(turn);
      if (this.#foreign) {
        this.#foreign.restore(entries);
        continue;
      }
      this.#shared.restore(entries);
      this.#exchanges.set(turn, journaledExchange(entries, world.prepared));
    }
  }

  /** The calls and results of an earlier turn. */
  exchangeOf(turn: number): readonly ChatMessage[] {
    return this.#exchanges.get(turn) ?? [];
  }

  async run(
    turn: number,
    options: Omit<TurnOptions, "world"> & { messages: readonly ChatMessage[] },
  ): Promise<StoredReply> {
    try {
      return await this.#run(turn, options);
    } catch (error) {
      if (error instanceof WorldLimitError) return failedTurnReply(worldLimitFailure(error), 0);
      throw error;
    }
  }

  async #run(
    turn: number,
    options: Omit<TurnOptions, "world"> & { messages: readonly ChatMessage[] },
  ): Promise<StoredReply> {
    const { model, messages, parameters, admit, onText, signal } = options;
    const { prepared, entriesOf, append, onStep, costOf } = this.#world;
    if (this.#foreign) {
      const text = onText && { onText: (piece: string) => onText(turn, piece) };
      const stored = { entries: entriesOf(turn), append: (entries: readonly JournalEntry[]) => append(turn, entries) };
      return this.#foreign.run({ model, messages, parameters, signal, ...stored, ...text });
    }
    const session = this.#shared ?? (await openAt(turn, { world: prepared, scenario: this.#scenario, signal }));
    const { reply, exchange } = await runToolLoop({
      model,
      messages,
      parameters,
      world: prepared,
      session,
      journal: { entries: entriesOf(turn), append: (entries) => append(turn, entries) },
      admit,
      costOf,
      onStep: onStep && ((soFar, step) => onStep(turn, soFar, step)),
      onText: onText && ((text: string) => onText(turn, text)),
      signal,
    });
    this.#exchanges.set(turn, exchange);
    return reply;
  }

  /** Closes the endpoint of an agent with its own tool loop. */
  async close(): Promise<void> {
    await this.#foreign?.close();
  }
}

/** Null for a failed turn, since the model never said `Request failed`. */
function generatedMessages(reply: StoredReply | undefined): readonly ChatMessage[] | null {
  return !reply || reply.error ? null : replyMessages(reply);
}

/** Replies of one attempt in total: all are held in memory until it ends. */
const maximumCharacters = 64 * 1024 * 1024;

const tooLong: InteractionError = {
  code: "upstream_reply_too_large",
  detail: `Not called: the replies of this attempt, with their labels and tool calls, have more than ${maximumCharacters} characters together.`,
  upstream_status: null,
  tries: 0,
  retryable: false,
};

/** The result of a turn that is skipped because earlier replies are too long, else null. */
function notCalledForLength(replies: Iterable<StoredReply>): StoredReply | null {
  let characters = 0;
  for (const reply of replies) characters += reply.agent_reply.length + labelCharacters(reply) + callCharacters(reply);
  return characters > maximumCharacters ? failedTurnReply(tooLong, 0) : null;
}

/** Cached because each reply is counted again before every later turn. */
const countedLabels = new WeakMap<object, number>();

function labelCharacters({ endpoint_metadata }: StoredReply): number {
  if (endpoint_metadata === null) return 0;
  const characters = countedLabels.get(endpoint_metadata) ?? JSON.stringify(endpoint_metadata).length;
  countedLabels.set(endpoint_metadata, characters);
  return characters;
}

/** The failure that prevents further calls: one that is certain to repeat, or any with `onFailure: "stop"`. */
function findBlockingFailure(replies: Iterable<StoredReply>, onFailure: "continue" | "stop"): InteractionError | null {
  for (const { error } of replies)
    if (error && (onFailure === "stop" || permanentFailures.has(error.code))) return error;
  return null;
}

function notCalled({ code, retryable }: InteractionError): StoredReply {
  const detail = `Not called: an earlier turn of this attempt failed (${code}).`;
  return failedTurnReply({ code, detail, upstream_status: null, tries: 0, retryable }, 0);
}
