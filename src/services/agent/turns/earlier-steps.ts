import { createHash, randomInt, type Hash } from "node:crypto";
import type { AgentOutcome, PostponedTurn } from "../../../agent/loop/agent-outcome.ts";
import { withTimeoutOrNull } from "../../../base/deadline.ts";
import type { AgentHandovers } from "../../../contract/ports/agent-memory.ts";
import { isStoreFailure, ServiceError } from "../../../contract/errors/errors.ts";
import type { ChatMessage, SuccessfulReply, ToolCall } from "../../../contract/ports/chat-model.ts";

/** A conversation as its client sent it, completed with the steps of the agent that the client does not know. */
interface KnownConversation {
  readonly messages: readonly ChatMessage[];
  /** A reply that follows `messages`: the client has answered its own tool calls, and ours still need approval. */
  readonly postponed?: PostponedTurn | undefined;
  /**
   * Stores the steps of a turn before its calls are handed to the client. The calls get ids that are unique over all conversations:
   * some endpoints use the same ids in every reply, so that two conversations with the same text could not be told apart. A turn
   * without client calls, or without earlier steps, writes nothing.
   */
  keep(outcome: AgentOutcome, runId: string): Promise<AgentOutcome>;
}

/**
 * The steps of the agent before, or together with, a call of a client tool. OpenAI's wires cannot carry them: the client sends back
 * its call and the result, and a model that sees only those would repeat our tool calls, including those with side effects. Opaque
 * metadata of the provider is handed out with the call, but most clients do not send it back.
 * The steps are stored, so that the client can continue on any process. The process that took them also keeps them in memory, which
 * saves a read and works while the store is down.
 */
export interface EarlierSteps {
  /**
   * Finds steps only for the same owner and the same conversation. Rejects with `storage_unavailable` when another process may have
   * stored steps that cannot be read: without them the model would repeat its tool calls.
   */
  read(owner: string | null, messages: readonly ChatMessage[]): Promise<KnownConversation>;
}

/** The steps that belong to one reply with client calls. */
interface HiddenSteps {
  readonly steps: readonly ChatMessage[];
  /** The text of the reply itself. A streaming client has joined it with the text of the steps. */
  readonly text: string;
  /** All calls of the reply, as the model wrote them. */
  readonly calls: readonly ToolCall[];
  /** The results of the calls that are not the client's. */
  readonly results: readonly ChatMessage[];
  /** The client's id of a call → the model's. */
  readonly ids: ReadonlyMap<string, string>;
  /** The reply, when calls of our tools need approval after the client has answered its own. */
  readonly postponed: SuccessfulReply | undefined;
}

interface CacheEntry extends HiddenSteps {
  readonly size: number;
  readonly expiresAt: number;
}

/** The entries of one owner, oldest first. */
interface OwnerCache {
  readonly entries: Map<string, CacheEntry>;
  size: number;
}

interface EarlierStepsOptions {
  readonly handovers: AgentHandovers;
  /** Called when steps could not be stored, so that only this process knows them. */
  readonly onUnstored: (error: unknown) => void;
  /** How long a turn waits for the store. */
  readonly storeMs?: number;
  readonly now?: () => number;
  readonly maximumAgeMs?: number;
  /** Characters kept in memory. Beyond this, the oldest entry of the largest owner is dropped, so that owners cannot evict each other. */
  readonly maximumSize?: number;
  /** Makes the id under which the client knows a call. */
  readonly newId?: (id: string) => string;
}

export function createEarlierSteps({
  handovers,
  onUnstored,
  storeMs = 2_000,
  now = Date.now,
  maximumAgeMs = 3600 * 1000,
  maximumSize = 16 * 1024 * 1024,
  newId = newIdFor,
}: EarlierStepsOptions): EarlierSteps {
  const caches = new Map<string | null, OwnerCache>();

  function remember(owner: string | null, key: string, hidden: HiddenSteps): void {
    const cache = caches.get(owner) ?? { entries: new Map<string, CacheEntry>(), size: 0 };
    caches.set(owner, cache);
    dropStep(cache, key);
    const entry = { ...hidden, size: sizeOf(hidden), expiresAt: now() + maximumAgeMs };
    cache.entries.set(key, entry);
    cache.size += entry.size;
    for (const each of caches.values()) dropExpired(each);
    while (sizeOfAll() > maximumSize) dropOldest(largest());
    for (const [name, { entries }] of caches) if (entries.size === 0) caches.delete(name);
  }

  function dropExpired(cache: OwnerCache): void {
    for (const [key, { expiresAt }] of cache.entries) {
      if (expiresAt > now()) return;
      dropStep(cache, key);
    }
  }

  const sizeOfAll = (): number => caches.values().reduce((sum, { size }) => sum + size, 0);
  const largest = (): OwnerCache => caches.values().reduce((most, cache) => (cache.size > most.size ? cache : most));

  const inMemory = (owner: string | null, key: string): HiddenSteps | null => {
    const entry = caches.get(owner)?.entries.get(key);
    return entry && entry.expiresAt > now() ? entry : null;
  };

  /** The steps that belong to these messages. */
  async function find(owner: string | null, sent: readonly ChatMessage[]): Promise<FoundSteps> {
    const found = new Map<ChatMessage, HiddenSteps>();
    if (!caches.has(owner) && !sent.some(isHandedOver)) return found;
    const elsewhere = new Map<string, ChatMessage>();
    const before = hashFor(owner);
    for (const message of sent) {
      if (hasCalls(message)) {
        const key = stepKey(before, message.tool_calls);
        const hidden = inMemory(owner, key);
        if (hidden) found.set(message, hidden);
        else if (isHandedOver(message)) elsewhere.set(key, message);
      }
      addTo(before, [message]);
    }
    if (elsewhere.size === 0) return found;
    for (const [key, state] of await readStored(owner, [...elsewhere.keys()])) {
      const hidden = fromStored(state as StoredSteps);
      remember(owner, key, hidden);
      found.set(elsewhere.get(key)!, hidden);
    }
    return found;
  }

  async function readStored(owner: string | null, keys: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    try {
      const stored = await withTimeoutOrNull(handovers.get(owner, keys), storeMs);
      return stored ?? Promise.reject(unreadable(new Error(`No answer within ${storeMs} ms`)));
    } catch (error) {
      throw isStoreFailure(error) ? unreadable(error) : error;
    }
  }

  return {
    async read(owner, sent) {
      const known = sent.some(hasCalls) ? withSteps(sent, await find(owner, sent)) : { messages: sent };
      return {
        ...known,
        keep: async (outcome, runId) => {
          if (!outcome.ok || !outcome.handed_out) return outcome;
          const { history, calls, results, postponed } = outcome.handed_out;
          const steps = history.slice(lengthOf(known));
          const isPlain = steps.length === 0 && results.length === 0 && !calls.some(({ echo }) => echo);
          if (isPlain && !postponed) return outcome;
          const ids = new Map(outcome.pending_tool_calls.map(({ id }) => [newId(id), id]));
          const pending_tool_calls = withIds(outcome.pending_tool_calls, ids);
          const key = stepKey(addTo(hashFor(owner), sent), pending_tool_calls);
          const hidden = { steps, text: outcome.reply.text, calls, results, ids, postponed };
          remember(owner, key, hidden);
          // The tools have run. Failing the turn because of the store would make the client repeat all of them.
          await withTimeoutOrNull(
            handovers.put({ key, owner, runId, state: toStored(hidden) }).catch(onUnstored),
            storeMs,
          );
          return { ...outcome, pending_tool_calls };
        },
      };
    },
  };
}

type FoundSteps = ReadonlyMap<ChatMessage, HiddenSteps>;

function withSteps(sent: readonly ChatMessage[], steps: FoundSteps): Omit<KnownConversation, "keep"> {
  const messages: ChatMessage[] = [];
  let last: { readonly at: number; readonly hidden: HiddenSteps } | null = null;
  for (const message of sent) {
    if (message.role === "tool") {
      messages.push({ ...message, tool_call_id: last?.hidden.ids.get(message.tool_call_id) ?? message.tool_call_id });
      continue;
    }
    const hidden = steps.get(message);
    last = hidden ? { at: messages.length + hidden.steps.length, hidden } : null;
    if (hidden && hasCalls(message)) messages.push(...hidden.steps, asReplied(message, hidden), ...hidden.results);
    else messages.push(message);
  }
  const reply = last?.hidden.postponed;
  if (!last || !reply) return { messages };
  const results = messages.slice(last.at).filter((message) => message.role === "tool");
  return { messages: messages.slice(0, last.at), postponed: { reply, results } };
}

/** Plain JSON. */
type StoredSteps = Omit<HiddenSteps, "ids"> & { readonly ids: readonly (readonly [string, string])[] };

const toStored = (hidden: HiddenSteps): StoredSteps => ({ ...hidden, ids: [...hidden.ids] });
const fromStored = (stored: StoredSteps): HiddenSteps => ({ ...stored, ids: new Map(stored.ids) });

function unreadable(cause: unknown): ServiceError {
  return new ServiceError("storage_unavailable", "The stored tool calls of this conversation cannot be read.", {
    hint: "Send the request again; no tool call is repeated.",
    retryAfterMs: 1_000,
    cause,
  });
}

function dropStep(cache: OwnerCache, key: string): void {
  cache.size -= cache.entries.get(key)?.size ?? 0;
  cache.entries.delete(key);
}

function dropOldest(cache: OwnerCache): void {
  const [oldest] = cache.entries.keys();
  if (oldest !== undefined) dropStep(cache, oldest);
}

/** The number of messages the run was given. A postponed reply has a result for each of its calls. */
function lengthOf({ messages, postponed }: Pick<KnownConversation, "messages" | "postponed">): number {
  return messages.length + (postponed ? 1 + postponed.reply.tool_calls.length : 0);
}

/**
 * A unique id, in a form that shows which conversations may have stored steps. Mistral requires ids of exactly nine letters and
 * digits. Kimi's models identify a call by its id, which contains the name of the tool.
 */
function newIdFor(id: string): string {
  const [, named] = /^(functions\..+:)\d+$/.exec(id) ?? [];
  if (named !== undefined) return named + String(randomInt(1e9, 1e10));
  return `h${randomInt(36 ** 8)
    .toString(36)
    .padStart(8, "0")}`;
}

const handoverId = /^h[0-9a-z]{8}$|^functions\..+:\d{10}$/;

function isHandedOver(message: ChatMessage): boolean {
  return hasCalls(message) && message.tool_calls.some(({ id }) => handoverId.test(id));
}

function withIds<Call extends { readonly id: string }>(
  calls: readonly Call[],
  ids: HiddenSteps["ids"],
): readonly Call[] {
  const clientIds = [...ids.keys()];
  return calls.map((call, index) => ({ ...call, id: clientIds[index] ?? call.id }));
}

function sizeOf({ steps, text, calls, results, postponed }: HiddenSteps): number {
  return JSON.stringify([steps, text, calls, results, postponed]).length;
}

/** The message with our calls among the client's, in the model's order. The provider's metadata takes precedence over the client's copy. */
function asReplied(message: AskingMessage, { steps, text, calls, ids, postponed }: HiddenSteps): ChatMessage {
  const sent = new Map(message.tool_calls.map((call) => [ids.get(call.id), call]));
  // The fate of calls that needed approval is unknown here.
  const known = postponed ? calls.filter(({ id }) => sent.has(id)) : calls;
  const tool_calls = known.map((call) => {
    const { id, echo } = call;
    return { ...call, ...sent.get(id), id, ...(echo && { echo }) };
  });
  return { ...message, ...(steps.length > 0 && { content: text }), tool_calls };
}

type AskingMessage = Extract<ChatMessage, { role: "assistant" }> & { readonly tool_calls: readonly ToolCall[] };

function hasCalls(message: ChatMessage): message is AskingMessage {
  return message.role === "assistant" && message.tool_calls !== undefined && message.tool_calls.length > 0;
}

const hashFor = (owner: string | null): Hash => createHash("sha256").update(JSON.stringify(owner));

function addTo(hash: Hash, messages: readonly ChatMessage[]): Hash {
  for (const message of messages) hash.update(`\n${JSON.stringify(message, withoutCacheMarkers)}`);
  return hash;
}

/** Clients move their cache markers with every request. */
function withoutCacheMarkers(name: string, value: unknown): unknown {
  return name === "cache_marks" || name === "cache_control" ? undefined : value;
}

/** The key covers the conversation and the calls: ids alone are ambiguous, because some endpoints restart them with each reply. */
function stepKey(before: Hash, calls: readonly { readonly id: string; readonly name: string }[]): string {
  const identities = calls.map(({ id, name }) => [id, name]);
  return before
    .copy()
    .update(`\n\n${JSON.stringify(identities)}`)
    .digest("base64");
}
