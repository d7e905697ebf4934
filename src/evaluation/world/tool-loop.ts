import { compact } from "../../base/compact.ts";
import { pause } from "../../base/deadline.ts";
import type {
  ChatMessage,
  ChatModel,
  ModelParameters,
  Reply,
  ReplyError,
  SuccessfulReply,
  ToolCall,
} from "../../contract/ports/chat-model.ts";
import type { JournaledReply, WorldEntry } from "../../contract/ports/journal.ts";
import { failedReplyText, type StoredReply } from "../../contract/schemas/interaction-result.ts";
import type { RecordedToolCall } from "../../contract/schemas/acting/tool-call.ts";
import { addUsage, noUsage, toUsage } from "../../contract/schemas/shared/usage.ts";
import { maxRecordedCalls, sentArguments, toRecordedCall } from "../conversation/recorded-calls.ts";
import { writtenCall } from "./written-call.ts";
import { toInteractionError } from "../conversation/stored-reply.ts";
import type { ToolOutcome } from "./answers.ts";
import { WorldLimitError } from "./limits.ts";
import type { PreparedWorld, WorldSession } from "./world.ts";

/** The journal of one turn. */
interface LoopJournal {
  /** The entries of an earlier try, oldest first. */
  readonly entries: readonly WorldEntry[];
  /** Stores entries. Rejects when they cannot be stored: the turn must not go on then. */
  append(entries: readonly WorldEntry[]): Promise<void>;
}

export interface ToolLoopOptions {
  readonly model: ChatModel;
  /** The conversation up to the user's message. */
  readonly messages: readonly ChatMessage[];
  readonly parameters?: ModelParameters | undefined;
  readonly world: PreparedWorld;
  readonly session: WorldSession;
  readonly journal: LoopJournal;
  /** Awaited before every call of the model but the first. `false`: the budget is spent, and the turn ends. */
  readonly admit?: (() => boolean | Promise<boolean>) | undefined;
  /** Called with the turn so far after a reply that asks for tools, and first with what an earlier try has done, if anything. */
  readonly onStep?: ((soFar: StoredReply, step: { readonly restored: boolean }) => void) | undefined;
  /** The price of a reply in US dollars. Default: unknown. */
  readonly costOf?: ((reply: Pick<SuccessfulReply, "model" | "usage">) => number | null) | undefined;
  readonly onText?: ((text: string) => void) | undefined;
  readonly signal: AbortSignal;
}

interface TurnInWorld {
  readonly reply: StoredReply;
  /** The messages between the user's and the reply: calls and their results. */
  readonly exchange: readonly ChatMessage[];
}

/** Calls that are carried out in one turn. Further ones fail. */
export const maxCalls = 1_000;
/** A turn that takes longer ends with a last call without tools. */
const maxTurnMs = 10 * 60_000;
/** Calls are answered this long before other work gets its turn. */
const longestBlockMs = 10;

/**
 * One turn of a model that acts in a world: its tool calls are carried out in the order given and their results sent back, until it
 * replies without a call. At the limit of steps, calls or time, it is asked once more without tools. Every reply, result and change
 * is in the journal before the next step, so a turn that was interrupted goes on behind its last entry and repeats no call.
 */
export async function runToolLoop(options: ToolLoopOptions): Promise<TurnInWorld> {
  const turn = new ToolTurn(options);
  turn.restore(options.journal.entries);
  const deadline = performance.now() + maxTurnMs;
  for (let first = true; ; first = false) {
    const passed = await turn.answerCalls();
    if (passed) return turn.fail(worldLimitFailure(passed), 0);
    const limit = turn.limit() ?? (performance.now() > deadline ? "deadline" : null);
    // The caller has admitted the first call.
    if (!first && (await options.admit?.()) === false) return turn.fail(budgetSpent, 0);
    const reply = await turn.askModel(limit);
    if (!reply.ok) return turn.fail(reply.error, reply.latency_ms);
    if (reply.tool_calls.length === 0 || limit !== null) return turn.finish(reply, limit);
    turn.addReply(reply);
  }
}

/** The calls and results of a finished turn, from its journal. */
export function journaledExchange(entries: readonly WorldEntry[], world: PreparedWorld): readonly ChatMessage[] {
  const exchange = new Exchange(world, []);
  for (const entry of entries) exchange.add(entry);
  return exchange.messages;
}

/** The limits of a turn, by the `finish_reason` of a turn that reached one. The agent backend has the same. */
const limitNames = { step_limit: "step limit", tool_limit: "limit of tool calls", deadline: "time limit" } as const;
type LoopLimit = keyof typeof limitNames;

const budgetSpent: ReplyError = {
  code: "budget_exceeded",
  detail: "The run's budget was spent before the model had finished this turn.",
  upstream_status: null,
  tries: 0,
  retryable: false,
};

/** Why a turn ends whose attempt did more in its world than is kept. */
export function worldLimitFailure({ message }: WorldLimitError): ReplyError {
  return { code: "world_limit", detail: message, upstream_status: null, tries: 0, retryable: false };
}

/** The messages of a turn between the user's and the reply. */
class Exchange {
  readonly messages: ChatMessage[] = [];
  readonly #world: PreparedWorld;
  readonly #ids = new Set<string>();
  /** The calls of the last reply that have no result yet, in order. */
  readonly open: ToolCall[] = [];

  constructor(world: PreparedWorld, earlier: readonly ChatMessage[]) {
    this.#world = world;
    for (const message of earlier) {
      if (message.role === "assistant") for (const { id } of message.tool_calls ?? []) this.#ids.add(id);
    }
  }

  add(entry: WorldEntry): void {
    if (entry.type === "call") return this.#addResult(entry.call);
    const { text, tool_calls } = entry.reply;
    this.messages.push({ role: "assistant", content: text, tool_calls: tool_calls.map(toSentCall) });
    this.open.push(...tool_calls);
    for (const { id } of tool_calls) this.#ids.add(id);
  }

  #addResult(call: RecordedToolCall): void {
    const asked = this.open.shift();
    const name = asked?.name ?? call.name;
    this.messages.push({ role: "tool", tool_call_id: call.id, name, content: resultText(call) });
  }

  /** Some servers number the calls of each reply from 0: an id that was used before gets a suffix. */
  withNewIds(calls: readonly ToolCall[]): readonly ToolCall[] {
    const taken = new Set(this.#ids);
    return calls.map((call) => {
      let { id } = call;
      for (let number = 2; taken.has(id); number += 1) id = `${call.id}_${number}`;
      taken.add(id);
      return id === call.id ? call : { ...call, id };
    });
  }

  /** The call as it is recorded, under the name in the world. */
  toRecorded(call: ToolCall): RecordedToolCall {
    return { ...toRecordedCall(call), name: this.#world.toolName(call.name) };
  }

  /** Says in the last result that no more tools can be called: not every chat template accepts another message there. */
  withNotice(limit: LoopLimit): readonly ChatMessage[] {
    const last = this.messages.at(-1);
    if (last?.role !== "tool") return this.messages;
    const notice = `The ${limitNames[limit]} of this turn is reached: no more tools can be called. Answer now with what you have.`;
    return [...this.messages.slice(0, -1), { ...last, content: `${last.content}\n\n${notice}` }];
  }
}

/** The call as the model wrote it, unless its arguments cannot be sent. Its result says what was wrong with them. */
function toSentCall(call: ToolCall): ToolCall {
  const text = sentArguments(toRecordedCall(call));
  return text !== "{}" && call.arguments.trimStart().startsWith("{") ? call : { ...call, arguments: text };
}

/** A result as a model reads it. */
export function resultText({ result, error }: RecordedToolCall): string {
  if (error !== undefined) return `Error: ${error}`;
  return typeof result === "string" ? result : JSON.stringify(result ?? null);
}

class ToolTurn {
  readonly #options: ToolLoopOptions;
  readonly #exchange: Exchange;
  readonly #replies: JournaledReply[] = [];
  readonly #calls: RecordedToolCall[] = [];
  /** Entries that are not stored yet. */
  #unstored: WorldEntry[] = [];

  constructor(options: ToolLoopOptions) {
    this.#options = options;
    this.#exchange = new Exchange(options.world, options.messages);
  }

  restore(entries: readonly WorldEntry[]): void {
    for (const entry of entries) this.#note(entry);
    this.#options.session.restore(entries);
    if (entries.length > 0) this.#options.onStep?.(this.#toStored(""), { restored: true });
  }

  #note(entry: WorldEntry): void {
    this.#exchange.add(entry);
    if (entry.type === "reply") this.#replies.push(entry.reply);
    else this.#calls.push(entry.call);
  }

  #record(entry: WorldEntry): void {
    this.#note(entry);
    if (entry.type === "call") this.#options.session.apply(entry);
    this.#unstored.push(entry);
  }

  async #store(): Promise<void> {
    if (this.#unstored.length === 0) return;
    const entries = this.#unstored;
    this.#unstored = [];
    await this.#options.journal.append(entries);
  }

  /** Carries out the open calls in order. Resolves when their results are stored, or with the limit that one of them passes. */
  async answerCalls(): Promise<WorldLimitError | null> {
    try {
      await this.#answerCalls();
      return null;
    } catch (error) {
      if (error instanceof WorldLimitError) return error;
      throw error;
    }
  }

  async #answerCalls(): Promise<void> {
    const { session, signal } = this.#options;
    let begun = performance.now();
    for (let [call] = this.#exchange.open; call; [call] = this.#exchange.open) {
      signal.throwIfAborted();
      const asked = this.#exchange.toRecorded(call);
      if (session.isSlow(asked)) await this.#store();
      const started = performance.now();
      const { result, error, changes, delayMs } =
        this.#calls.length < maxCalls ? await this.#answer(asked) : tooManyCalls;
      if (delayMs !== undefined) {
        await this.#store();
        await pause(delayMs, signal);
      }
      const ms = Math.round((performance.now() - started) * 1000) / 1000;
      const outcome = error === undefined ? { result: result as RecordedToolCall["result"] & {} } : { error };
      this.#record(compact({ type: "call", call: { ...asked, ...outcome, ms }, changes }));
      if (performance.now() - begun < longestBlockMs) continue;
      await pause(0, signal);
      begun = performance.now();
    }
    await this.#store();
  }

  /** A call that passes a limit of the world is the last of its turn, and shown with the reason. */
  async #answer(asked: RecordedToolCall): Promise<ToolOutcome> {
    try {
      return await this.#options.session.answer(asked, this.#options.signal);
    } catch (error) {
      if (!(error instanceof WorldLimitError)) throw error;
      await this.#store();
      this.#note({ type: "call", call: { ...asked, error: error.message } });
      throw error;
    }
  }

  /** The limit that this turn has reached, else null. */
  limit(): LoopLimit | null {
    if (this.#replies.length >= this.#options.world.maxSteps) return "step_limit";
    return this.#calls.length >= maxCalls ? "tool_limit" : null;
  }

  askModel(limit: LoopLimit | null): Promise<Reply> {
    const { model, messages, parameters, world, onText, signal } = this.#options;
    const exchange = limit === null ? this.#exchange.messages : this.#exchange.withNotice(limit);
    return model(
      compact({
        messages: [...messages, ...exchange],
        ...(world.tools.length > 0 &&
          compact({ tools: world.tools, tool_choice: limit !== null ? "none" : undefined })),
        parameters,
      }),
      compact({ signal, onText }),
    );
  }

  addReply(reply: SuccessfulReply): void {
    const { tool_calls, ...rest } = this.#toJournaled(reply);
    const kept = tool_calls.slice(0, Math.max(1, maxRecordedCalls - this.#calls.length));
    this.#record({ type: "reply", reply: { ...rest, tool_calls: this.#exchange.withNewIds(kept) } });
    this.#options.onStep?.(this.#toStored(reply.text), { restored: false });
  }

  #toJournaled(reply: SuccessfulReply): JournaledReply {
    const { text, refusal, tool_calls, finish_reason, usage, model, system_fingerprint, metadata } = reply;
    const { latency_ms, first_token_ms, tries, session_id } = reply;
    const cost = this.#options.costOf?.(reply);
    const about = { finish_reason, usage, model, system_fingerprint, metadata, latency_ms, first_token_ms, tries };
    const session = session_id === undefined ? {} : { session_id };
    return compact({ text, refusal, tool_calls, ...about, ...session, cost });
  }

  /** The turn ends with this reply. Calls that it makes although no tool was offered are recorded and not carried out. */
  finish(reply: SuccessfulReply, limit: LoopLimit | null): TurnInWorld {
    this.#replies.push(this.#toJournaled(reply));
    for (const call of reply.tool_calls.slice(0, Math.max(0, maxRecordedCalls - this.#calls.length))) {
      const error = `Not called: the ${limit && limitNames[limit]} of this turn is reached.`;
      this.#calls.push({ ...this.#exchange.toRecorded(call), error });
    }
    const stored = this.#toStored(reply.text === "" ? (reply.refusal ?? "") : reply.text);
    const written = this.#calls.length === 0 ? writtenCall(reply.text, this.#options.world.tools) : null;
    const call = written === null ? {} : { written_call: this.#options.world.toolName(written) };
    const unseen = reply.calls_unseen && this.#calls.length === 0 ? { calls_seen: "none" as const } : {};
    return {
      reply: { ...stored, ...unseen, ...call, ...(limit && { finish_reason: limit }) },
      exchange: this.#exchange.messages,
    };
  }

  /** The turn ends without a reply. Its calls, and their effects, stay. */
  fail(failure: ReplyError, latency_ms: number): TurnInWorld {
    const error = toInteractionError(failure);
    const { tries } = error;
    const stored = this.#toStored(failedReplyText);
    const calls = (stored.model_calls ?? this.#replies.length) + (tries > 0 ? 1 : 0);
    const reply = compact({
      ...stored,
      error,
      latency_ms: stored.latency_ms + latency_ms,
      tries: stored.tries + tries,
      finish_reason: null,
      model_calls: calls > 1 ? calls : undefined,
    });
    return { reply, exchange: this.#exchange.messages };
  }

  /** The turn so far: tokens, time and cost are the sums of all its calls. */
  #toStored(agent_reply: string): StoredReply {
    const replies = this.#replies;
    const last = replies.at(-1);
    const sum = (amount: (reply: JournaledReply) => number): number =>
      replies.reduce((total, reply) => total + amount(reply), 0);
    const waited = this.#calls.reduce((total, { ms = 0 }) => total + ms, 0);
    const counted = replies.length > 0 && replies.every(({ usage }) => usage !== null);
    const priced = replies.some(({ cost }) => cost !== undefined);
    const isPriceKnown = replies.every(({ cost = null }) => cost !== null);
    return compact({
      agent_reply,
      error: null,
      usage: counted ? replies.reduce((total, { usage }) => addUsage(total, usage && toUsage(usage)), noUsage) : null,
      latency_ms: sum(({ latency_ms }) => latency_ms) + waited,
      first_token_ms: replies[0]?.first_token_ms ?? null,
      tries: sum(({ tries }) => tries),
      finish_reason: last?.finish_reason ?? null,
      model: last?.model ?? null,
      system_fingerprint: last?.system_fingerprint ?? null,
      endpoint_metadata: last?.metadata ?? null,
      cost: priced ? (isPriceKnown ? sum(({ cost }) => cost ?? 0) : null) : undefined,
      tool_calls: this.#calls.length > 0 ? [...this.#calls] : undefined,
      model_calls: replies.length > 1 ? replies.length : undefined,
      session_id: last?.session_id,
    });
  }
}

const tooManyCalls: ToolOutcome = { error: `Not called: a turn has at most ${maxCalls} tool calls.` };
