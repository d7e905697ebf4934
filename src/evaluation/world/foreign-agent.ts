import { compact } from "../../base/compact.ts";
import { pause } from "../../base/deadline.ts";
import { isRecord } from "../../base/json.ts";
import { createSecretRedactor } from "../../base/redact-secrets.ts";
import { Secret } from "../../base/secret.ts";
import type { ChatMessage, ChatModel, FailedReply, ModelParameters, Reply } from "../../contract/ports/chat-model.ts";
import type { WorldEntry } from "../../contract/ports/journal.ts";
import type { OpenWorldEndpoint, ServedWorld } from "../../contract/ports/world-endpoints.ts";
import type { StoredReply } from "../../contract/schemas/interaction-result.ts";
import type { RecordedToolCall } from "../../contract/schemas/acting/tool-call.ts";
import { maxRecordedCalls } from "../conversation/recorded-calls.ts";
import { toStoredReply } from "../conversation/stored-reply.ts";
import type { ToolOutcome } from "./answers.ts";
import { WorldLimitError } from "./limits.ts";
import { maxCalls, resultText, worldLimitFailure } from "./tool-loop.ts";
import type { PreparedWorld, WorldSession } from "./world.ts";

/** Opens the endpoint of an attempt. */
export type OpenAgentWorld = (world: ServedWorld) => Promise<OpenWorldEndpoint>;

interface ForeignTurnOptions {
  readonly model: ChatModel;
  readonly messages: readonly ChatMessage[];
  readonly parameters?: ModelParameters | undefined;
  /** Steps of this turn that an interrupted try has stored. They are discarded. */
  readonly entries: readonly WorldEntry[];
  readonly append: (entries: readonly (WorldEntry | { readonly type: "discard" })[]) => Promise<void>;
  readonly onText?: ((text: string) => void) | undefined;
  readonly signal: AbortSignal;
}

interface TurnUnderWay {
  readonly calls: RecordedToolCall[];
  readonly append: ForeignTurnOptions["append"];
  /** Set when a call could not be answered or stored: the turn fails, whatever the agent replies. */
  failure?: unknown;
}

/** Calls of the agent for one turn, which a retryable failure repeats from the start of the turn. */
const mostTries = 3;
const firstWaitMs = 250;
const longestWaitMs = 5_000;
const longestArguments = 1_000_000;
const shortestKey = 16;

/**
 * The world of an attempt whose agent brings its own tool loop and calls the tools through a private endpoint. Calls are answered one
 * after the other and stored before the agent reads the result. An agent cannot go on in the middle of a turn, so a turn that broke
 * off begins again in the state that the world had at its start.
 */
export class ForeignWorld {
  readonly #world: PreparedWorld;
  readonly #open: OpenAgentWorld;
  readonly #faultSeed: string | undefined;
  /** The calls of the finished turns. */
  readonly #done: WorldEntry[] = [];
  #session: WorldSession;
  #endpoint: Promise<OpenWorldEndpoint> | null = null;
  #redactor = createSecretRedactor([]);
  #turn: TurnUnderWay | null = null;
  #answering: Promise<unknown> = Promise.resolve();
  #refused = 0;
  #numbered = 0;

  constructor(world: PreparedWorld, open: OpenAgentWorld, faultSeed?: string) {
    this.#world = world;
    this.#open = open;
    this.#faultSeed = faultSeed;
    this.#session = world.open(faultSeed);
  }

  /** Takes over a turn that was finished before an interruption. */
  restore(entries: readonly WorldEntry[]): void {
    this.#done.push(...entries);
    this.#reopen();
  }

  async run(options: ForeignTurnOptions): Promise<StoredReply> {
    const { entries, append, signal } = options;
    if (entries.length > 0) await append([{ type: "discard" }]);
    const endpoint = await (this.#endpoint ??= this.#open(this.#served()));
    this.#redactor = createSecretRedactor(keysIn(endpoint.url));
    for (let tries = 1; ; tries += 1) {
      const turn: TurnUnderWay = { calls: [], append };
      const entriesBefore = this.#done.length;
      this.#turn = turn;
      const before = endpoint.requests();
      const undo = (): void => {
        this.#done.length = entriesBefore;
        this.#reopen();
      };
      const reply = await this.#ask(options, endpoint.url)
        .finally(() => this.#endTurn())
        .then((given) => withoutWorld(given, { before, after: endpoint.requests() }))
        .catch((error: unknown) => {
          undo();
          throw error;
        });
      if (turn.failure instanceof WorldLimitError) return this.#finish(limitReply(turn.failure, reply), turn);
      if (turn.failure !== undefined) {
        undo();
        throw turn.failure;
      }
      if (reply.ok || tries === mostTries || !mayRetry(reply)) return this.#finish(reply, turn);
      undo();
      if (turn.calls.length > 0) await append([{ type: "discard" }]);
      await pause(Math.min(longestWaitMs, reply.error.retry_after_ms ?? firstWaitMs * 2 ** tries), signal);
    }
  }

  /** The state after the finished turns. */
  get state(): WorldSession["state"] {
    return this.#session.state;
  }

  async close(): Promise<void> {
    (await this.#endpoint?.catch(() => null))?.close();
  }

  /** The address is the only key of the world, so it is removed from what the agent says. */
  async #ask(options: ForeignTurnOptions, world_url: string): Promise<Reply> {
    const { model, messages, parameters, onText, signal } = options;
    const text = onText && this.#redactor.stream(onText);
    const reply = await model(
      compact({ messages, parameters }),
      compact({ signal, session: { id: "", world_url }, onText: text?.add }),
    );
    text?.end();
    return this.#redactor.value(reply);
  }

  /** Calls that are being answered belong to the turn; later ones do not. */
  async #endTurn(): Promise<void> {
    this.#turn = null;
    await this.#answering.catch(() => {});
  }

  #finish(reply: Reply, { calls }: TurnUnderWay): StoredReply {
    const names = new Set(this.#world.tools.map(({ name }) => name));
    // The agent may report the calls of the world too: the journal has them with their results.
    const others = reply.ok ? (reply.reported_calls ?? []).filter(({ name }) => !names.has(ownName(name))) : [];
    const stored = toStoredReply(reply.ok ? { ...reply, reported_calls: others } : reply);
    const all = [...calls, ...(stored.tool_calls ?? [])];
    const refused = this.#refused;
    this.#refused = 0;
    const { tool_calls: _, calls_seen: ownCalls, ...rest } = stored;
    return compact({
      ...rest,
      calls_seen: ownCalls && "world",
      tool_calls: all.length > 0 ? all : undefined,
      refused_calls: refused || undefined,
    });
  }

  #reopen(): void {
    this.#session = this.#world.open(this.#faultSeed);
    this.#session.restore(this.#done);
  }

  #served(): ServedWorld {
    return {
      tools: this.#world.tools,
      call: (name, args, signal) => {
        const turn = this.#turn;
        if (!turn) {
          this.#refused += 1;
          return Promise.resolve(null);
        }
        const answered = this.#answering.catch(() => {}).then(() => this.#answer(turn, name, args, signal));
        this.#answering = answered;
        return answered;
      },
    };
  }

  async #answer(turn: TurnUnderWay, name: string, args: unknown, signal: AbortSignal) {
    if (turn.calls.length >= maxRecordedCalls) return toToolAnswer({ error: tooMany });
    const started = performance.now();
    this.#numbered += 1;
    const asked = {
      id: `world-${this.#numbered}`,
      name: this.#world.toolName(name),
      ...given(this.#redactor.value(args)),
    };
    const outcome = await this.#outcome(turn, asked, signal);
    if (outcome.delayMs !== undefined) await pause(outcome.delayMs, signal);
    const ms = Math.round((performance.now() - started) * 1000) / 1000;
    const ended =
      outcome.error === undefined
        ? { result: outcome.result as RecordedToolCall["result"] & {} }
        : { error: outcome.error };
    const entry: WorldEntry = compact({
      type: "call",
      call: { ...asked, ...ended, ms },
      changes: outcome.changes,
    });
    // Where no more can be stored, nothing more is kept in memory either.
    if (turn.failure === undefined) await turn.append([entry]).catch((error: unknown) => (turn.failure ??= error));
    if (turn.failure !== undefined) return toToolAnswer({ error: agentFailureText(turn.failure) });
    turn.calls.push(entry.call);
    this.#done.push(entry);
    this.#session.apply(entry);
    return toToolAnswer(ended);
  }

  async #outcome(turn: TurnUnderWay, asked: RecordedToolCall, signal: AbortSignal): Promise<ToolOutcome> {
    if (turn.failure !== undefined) return { error: agentFailureText(turn.failure) };
    if (turn.calls.length >= maxCalls) return { error: tooMany };
    try {
      return await this.#session.answer(asked, signal);
    } catch (error) {
      if (!(error instanceof WorldLimitError)) throw error;
      turn.failure = error;
      turn.calls.push({ ...asked, error: error.message });
      return { error: error.message };
    }
  }
}

const tooMany = `Not called: a turn has at most ${maxCalls} tool calls.`;

/** The answer to a call as the agent reads it. */
function toToolAnswer(ended: Pick<RecordedToolCall, "result" | "error">): { text: string; isError: boolean } {
  return { text: resultText(ended as RecordedToolCall), isError: ended.error !== undefined };
}

function agentFailureText(failure: unknown): string {
  return failure instanceof WorldLimitError ? failure.message : "Not called: the step could not be stored.";
}

function limitReply(limit: WorldLimitError, { latency_ms }: Reply): FailedReply {
  return { ok: false, error: worldLimitFailure(limit), latency_ms };
}

/** The random parts of an address: shorter ones are words. */
function keysIn(address: string): readonly Secret[] {
  const { pathname, searchParams } = new URL(address);
  const parts = [...pathname.split("/"), ...searchParams.values()];
  return parts.filter((part) => part.length >= shortestKey).map((part) => new Secret(part));
}

function given(args: unknown): Pick<RecordedToolCall, "arguments" | "arguments_error"> {
  const value = args ?? {};
  if (!isRecord(value)) return { arguments: {}, arguments_error: "must be an object" };
  if (JSON.stringify(value).length <= longestArguments) return { arguments: value as RecordedToolCall["arguments"] };
  return { arguments: {}, arguments_error: `more than ${longestArguments} characters` };
}

/** Agents put the name of their server before that of the tool. */
function ownName(name: string): string {
  return name.replace(/^world__/, "");
}

type Requests = ReturnType<OpenWorldEndpoint["requests"]>;

/** An agent whose every request to its world was refused could not act in it: that says nothing about what it would have done. */
function withoutWorld(reply: Reply, { before, after }: { readonly before: Requests; readonly after: Requests }): Reply {
  const refused = after.refused - before.refused;
  if (!reply.ok || refused === 0 || after.answered > before.answered) return reply;
  const detail = `The agent could not use its world: all its ${refused} requests there were refused. It has to speak MCP over streamable HTTP at the address that it gets.`;
  const error = {
    code: "upstream_rejected",
    detail,
    upstream_status: null,
    tries: reply.tries,
    retryable: false,
  } as const;
  return { ok: false, error, latency_ms: reply.latency_ms };
}

function mayRetry({ error }: FailedReply): boolean {
  return error.retryable && error.tries > 0;
}
