import { createHash, randomInt, type Hash } from "node:crypto";
import type { AgentOutcome, PostponedTurn } from "../../../agent/agent-outcome.ts";
import { newCallId } from "../../../agent/tool-call-id.ts";
import type { ChatMessage, SuccessfulReply, ToolCall } from "../../../contract/ports/chat-model.ts";

/** A conversation as its client sent it, and with what the agent did in it that the client was not told. */
interface KnownConversation {
  readonly messages: readonly ChatMessage[];
  /** The reply that comes after them, where its client has answered its part and we are to be told about ours. */
  readonly postponed?: PostponedTurn | undefined;
  /**
   * Keeps what a turn of this conversation did before it handed the client its calls. Those get ids that no other conversation has:
   * some endpoints give the same ones in every reply, and a client with the same words would be taken for this one.
   */
  keep(outcome: AgentOutcome): AgentOutcome;
}

/**
 * What the agent did before it asked the client to use a tool of its own, or at once with it. The wires of OpenAI have no place for it: a client
 * comes back with its call and the result, and a model that saw no more would use our tools once more, also those that change
 * something. What the provider wants to see again beside the call is handed out, but most clients do not bring it back.
 */
export interface EarlierSteps {
  /** What is kept is found only in the very conversation it belongs to, by the owner whose it is. */
  read(owner: string | null, messages: readonly ChatMessage[]): KnownConversation;
}

/** What belongs to one reply with calls of the client's. */
interface Hidden {
  readonly steps: readonly ChatMessage[];
  /** What the reply itself says: a stream has told the words of the steps too, and its client takes all of them for one reply. */
  readonly text: string;
  /** All calls of the reply, as its model wrote them. */
  readonly calls: readonly ToolCall[];
  /** Of those that are not the client's. */
  readonly results: readonly ChatMessage[];
  /** The client's id of a call → the model's. */
  readonly ids: ReadonlyMap<string, string>;
  /** The reply, where calls of ours are to be decided about once the client has answered. */
  readonly postponed: SuccessfulReply | undefined;
}

interface Kept extends Hidden {
  readonly size: number;
  readonly expiresAt: number;
}

/** What is kept for one owner, oldest first. */
interface Shelf {
  readonly kept: Map<string, Kept>;
  size: number;
}

interface EarlierStepsOptions {
  readonly now?: () => number;
  readonly maximumAgeMs?: number;
  /** Characters over all that is kept. Beyond this the oldest goes of the owner who has most: nobody pushes out what is another's. */
  readonly maximumSize?: number;
  /** What the client shall know the call by. */
  readonly newId?: (id: string) => string;
}

export function createEarlierSteps({
  now = Date.now,
  maximumAgeMs = 3600 * 1000,
  maximumSize = 16 * 1024 * 1024,
  newId = newIdFor,
}: EarlierStepsOptions = {}): EarlierSteps {
  const shelves = new Map<string | null, Shelf>();

  function put(owner: string | null, key: string, hidden: Hidden): void {
    const shelf = shelves.get(owner) ?? { kept: new Map<string, Kept>(), size: 0 };
    shelves.set(owner, shelf);
    drop(shelf, key);
    const entry = { ...hidden, size: sizeOf(hidden), expiresAt: now() + maximumAgeMs };
    shelf.kept.set(key, entry);
    shelf.size += entry.size;
    for (const each of shelves.values()) dropExpired(each);
    while (sizeOfAll() > maximumSize) dropOldest(largest());
    for (const [name, { kept }] of shelves) if (kept.size === 0) shelves.delete(name);
  }

  function dropExpired(shelf: Shelf): void {
    for (const [key, { expiresAt }] of shelf.kept) {
      if (expiresAt > now()) return;
      drop(shelf, key);
    }
  }

  const sizeOfAll = (): number => shelves.values().reduce((sum, { size }) => sum + size, 0);
  const largest = (): Shelf => shelves.values().reduce((most, shelf) => (shelf.size > most.size ? shelf : most));

  const hiddenBehind = (owner: string | null, key: string): Hidden | null => {
    const entry = shelves.get(owner)?.kept.get(key);
    return entry && entry.expiresAt > now() ? entry : null;
  };

  return {
    read(owner, sent) {
      const known = shelves.has(owner) && sent.some(hasCalls) ? withSteps(owner, sent) : { messages: sent };
      return {
        ...known,
        keep: (outcome) => {
          if (!outcome.ok || !outcome.handed_out) return outcome;
          const { history, calls, results, postponed } = outcome.handed_out;
          const steps = history.slice(lengthOf(known));
          const isPlain = steps.length === 0 && results.length === 0 && !calls.some(({ echo }) => echo);
          if (isPlain && !postponed) return outcome;
          const ids = new Map(outcome.pending_tool_calls.map(({ id }) => [newId(id), id]));
          const pending_tool_calls = withIds(outcome.pending_tool_calls, ids);
          const key = keyOf(addTo(hashFor(owner), sent), pending_tool_calls);
          put(owner, key, { steps, text: outcome.reply.text, calls, results, ids, postponed });
          return { ...outcome, pending_tool_calls };
        },
      };
    },
  };

  function withSteps(owner: string | null, sent: readonly ChatMessage[]): Omit<KnownConversation, "keep"> {
    const before = hashFor(owner);
    const messages: ChatMessage[] = [];
    let last: { readonly at: number; readonly hidden: Hidden } | null = null;
    for (const message of sent) {
      const hidden = hasCalls(message) ? hiddenBehind(owner, keyOf(before, message.tool_calls)) : null;
      addTo(before, [message]);
      if (message.role === "tool") {
        messages.push({ ...message, tool_call_id: last?.hidden.ids.get(message.tool_call_id) ?? message.tool_call_id });
        continue;
      }
      last = hidden && { at: messages.length + hidden.steps.length, hidden };
      if (hidden && hasCalls(message)) messages.push(...hidden.steps, asReplied(message, hidden), ...hidden.results);
      else messages.push(message);
    }
    const reply = last?.hidden.postponed;
    if (!last || !reply) return { messages };
    const results = messages.slice(last.at).filter((message) => message.role === "tool");
    return { messages: messages.slice(0, last.at), postponed: { reply, results } };
  }
}

function drop(shelf: Shelf, key: string): void {
  shelf.size -= shelf.kept.get(key)?.size ?? 0;
  shelf.kept.delete(key);
}

function dropOldest(shelf: Shelf): void {
  const [oldest] = shelf.kept.keys();
  if (oldest !== undefined) drop(shelf, oldest);
}

/** Of what the run was given. The turn that is taken up has a result for each of its calls. */
function lengthOf({ messages, postponed }: Pick<KnownConversation, "messages" | "postponed">): number {
  return messages.length + (postponed ? 1 + postponed.reply.tool_calls.length : 0);
}

/** Kimi's models know a call by its id, which names the tool. */
function newIdFor(id: string): string {
  const [, named] = /^(functions\..+:)\d+$/.exec(id) ?? [];
  return named === undefined ? newCallId() : named + String(randomInt(2 ** 32));
}

function withIds<Call extends { readonly id: string }>(calls: readonly Call[], ids: Hidden["ids"]): readonly Call[] {
  const told = [...ids.keys()];
  return calls.map((call, index) => ({ ...call, id: told[index] ?? call.id }));
}

function sizeOf({ steps, text, calls, results, postponed }: Hidden): number {
  return JSON.stringify([steps, text, calls, results, postponed]).length;
}

/** With our calls among the client's, as their model wrote them. What the provider said counts, not what the client made of it. */
function asReplied(message: AskingMessage, { steps, text, calls, ids, postponed }: Hidden): ChatMessage {
  const sent = new Map(message.tool_calls.map((call) => [ids.get(call.id), call]));
  // What became of those that were to be decided about, nobody here knows.
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
  for (const message of messages) hash.update(`\n${JSON.stringify(message, withoutMarks)}`);
  return hash;
}

/** Clients move their marks for the provider's cache with every request. */
function withoutMarks(name: string, value: unknown): unknown {
  return name === "cache_marks" || name === "cache_control" ? undefined : value;
}

/** The conversation up to the calls, and the calls: ids alone are no proof, some endpoints begin anew with each reply. */
function keyOf(before: Hash, calls: readonly { readonly id: string; readonly name: string }[]): string {
  const identities = calls.map(({ id, name }) => [id, name]);
  return before
    .copy()
    .update(`\n\n${JSON.stringify(identities)}`)
    .digest("base64");
}
