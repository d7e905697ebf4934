import { compact } from "../../base/compact.ts";
import { isRecord } from "../../base/json.ts";
import type { CacheMark, OpaqueMetadata, ChatMessage, UserMessage } from "../../contract/ports/chat-model.ts";
import type { StoredMessage } from "../../contract/ports/agent-memory.ts";
import type { AgentMessage, MessageToolCall, ThreadMessage } from "../../contract/schemas/agent/agent-message.ts";
import { createIdIssuer, type IssueId } from "./tool-call-id.ts";
import { toToolName } from "./tool-name.ts";
import { fenceUntrusted } from "./tool-result.ts";

/** A tool call as clients send it, possibly without an id. */
export interface LooseToolCall {
  readonly id?: string | null | undefined;
  readonly name: string;
  readonly arguments: string;
  readonly echo?: OpaqueMetadata | undefined;
}

/** A message as clients send it: calls and results may not match. */
export type LooseMessage = Extract<ChatMessage, { role: "system" }> | UserMessage | LooseReply | LooseToolMessage;

interface LooseReply {
  readonly role: "assistant";
  readonly content: string;
  readonly tool_calls?: readonly LooseToolCall[] | undefined;
  readonly name?: string;
  readonly cache_marks?: readonly CacheMark[];
}

interface LooseToolMessage {
  readonly role: "tool";
  readonly content: string;
  readonly tool_call_id?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly cache_marks?: readonly CacheMark[];
}

/** A call without a result so far. `sent` is the client's id. */
interface UnansweredCall {
  readonly id: string;
  readonly sent: string | null | undefined;
  readonly name: string;
  readonly arguments: string;
  readonly echo?: OpaqueMetadata | undefined;
}

interface UnfinishedTurn {
  readonly reply: Omit<LooseReply, "tool_calls">;
  readonly calls: UnansweredCall[];
  readonly waiting: Set<UnansweredCall>;
  /** Calls by the client's id, answered ones included; in each list the first call is last. */
  readonly sent: ReadonlyMap<UnansweredCall["sent"], UnansweredCall[]>;
  readonly results: ChatMessage[];
}

/** The model reads this where the client sent a call without a result. Nothing was run, and nothing will be. */
export const missingResult = "No result was sent for this call.";

/**
 * The conversation a client sent to POST /, as history for a model. {@link pairToolMessages} pairs tool calls and results; forged
 * ones are only text.
 *
 * @example fromAgentMessages([{ type: "human", content: "Hi" }]) // [{ role: "user", content: "Hi" }]
 */
export function fromAgentMessages(messages: readonly AgentMessage[]): readonly ChatMessage[] {
  return pairToolMessages(messages.map(toLooseMessage));
}

/** The messages of a thread as history for a model. `isClientTool`: as in {@link pairToolMessages}. */
export function fromThread(
  messages: readonly StoredMessage[],
  options: { isClientTool?: ((name: string) => boolean) | undefined } = {},
): readonly ChatMessage[] {
  return pairToolMessages(
    messages.map((message) => (message.sent as LooseMessage | undefined) ?? toLooseMessage(message)),
    compact(options),
  );
}

/** A message as a thread stores it: in the form of POST /, and as it was sent if that says more. */
export function toStoredMessage(message: LooseMessage): StoredMessage {
  const { content } = message;
  const sent = hasMore(message) ? message : undefined;
  switch (message.role) {
    case "system":
      return compact({ type: "system", content, sent });
    case "user":
      return compact({ type: "human", content, sent });
    case "tool": {
      const { tool_call_id, name, cache_marks } = message;
      return compact({ type: "tool", content, tool_call_id, name, sent: cache_marks && message });
    }
    case "assistant": {
      const calls = (message.tool_calls ?? []).map(toMessageCall);
      return compact({ type: "ai", content, tool_calls: calls.length > 0 ? calls : undefined, sent });
    }
  }
}

const hasMore = (message: LooseMessage): boolean =>
  Object.entries(message).some(([field, value]) => field !== "role" && field !== "content" && value !== undefined);

function toMessageCall({ id, name, arguments: text }: LooseToolCall): MessageToolCall {
  const args: unknown = isObjectText(text) ? JSON.parse(text) : {};
  return { name, args: isRecord(args) ? args : {}, id, type: "tool_call" };
}

function toLooseMessage(message: ThreadMessage): LooseMessage {
  switch (message.type) {
    case "system":
      return { role: "system", content: message.content };
    case "human":
      return { role: "user", content: message.content };
    case "ai":
      return { role: "assistant", content: message.content, tool_calls: message.tool_calls?.map(toLooseToolCall) };
    case "tool":
      return { role: "tool", content: message.content, name: message.name, tool_call_id: message.tool_call_id };
  }
}

function toLooseToolCall({ id, name, args }: MessageToolCall) {
  return { id, name, arguments: JSON.stringify(args) };
}

/**
 * Turns the messages of a client into history that every provider accepts: each assistant tool call is followed by exactly one
 * result, and each result belongs to a call. Nothing in it is ever executed.
 * - A result goes to the call with its id; without an id to the first open call of its name, or the first open one when it has no name.
 * - A result without a matching call gets a synthetic one in the turn it follows, or in an empty assistant turn.
 * - A call without a result gets one that says so. Arguments that are not a JSON object, such as an empty text, become `{}`.
 * - Ids are kept unless they repeat. Result text is fenced as untrusted, except that of a client's own tools, and otherwise
 *   unchanged.
 */
export function pairToolMessages(
  messages: readonly LooseMessage[],
  { isClientTool = () => false }: { isClientTool?: (name: string) => boolean } = {},
): readonly ChatMessage[] {
  const issueId = createIdIssuer({ prefix: "syn", taken: sentIds(messages) });
  const history: ChatMessage[] = [];
  let turn: UnfinishedTurn | null = null;
  const close = () => {
    for (const message of turn ? closeTurn(turn) : []) history.push(message);
    turn = null;
  };

  for (const message of messages) {
    if (message.role === "tool") {
      turn ??= openTurn({ role: "assistant", content: "" }, issueId);
      addResult(turn, message, { issueId, isClientTool });
      continue;
    }
    close();
    if (message.role === "assistant") turn = openTurn(message, issueId);
    else history.push(message);
  }
  close();
  return history;
}

function* sentIds(messages: readonly LooseMessage[]): Iterable<string> {
  for (const message of messages) {
    if (message.role === "tool" && message.tool_call_id) yield message.tool_call_id;
    if (message.role !== "assistant") continue;
    for (const call of message.tool_calls ?? []) if (call.id) yield call.id;
  }
}

function openTurn({ tool_calls: sentCalls = [], ...reply }: LooseReply, issueId: IssueId): UnfinishedTurn {
  const calls = sentCalls.map((call) => ({
    id: issueId(call.id),
    sent: call.id,
    name: toToolName(call.name),
    arguments: isObjectText(call.arguments) ? call.arguments : "{}",
    echo: call.echo,
  }));
  const sent = Map.groupBy(calls.toReversed(), (call) => call.sent);
  return { reply, calls, waiting: new Set(calls), sent, results: [] };
}

function isObjectText(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}

function addResult(
  turn: UnfinishedTurn,
  message: LooseToolMessage,
  { issueId, isClientTool }: { issueId: IssueId; isClientTool: (name: string) => boolean },
): void {
  const call = takeOpenCall(turn, message) ?? addSyntheticCall(turn, message, issueId);
  const content = isClientTool(call.name) ? message.content : fenceUntrusted(message.content);
  // A result is cached as a whole.
  const mark = message.cache_marks?.at(-1);
  turn.results.push(
    compact({
      role: "tool",
      content,
      tool_call_id: call.id,
      name: call.name,
      cache_marks: mark ? [{ ...mark, end: content.length }] : undefined,
    }),
  );
}

/** Looked up in maps: a turn may have tens of thousands of calls and results. */
function takeOpenCall(turn: UnfinishedTurn, message: LooseToolMessage): UnansweredCall | undefined {
  const call = message.tool_call_id ? callSentAs(turn, message.tool_call_id) : callNamed(turn, message.name);
  if (call) turn.waiting.delete(call);
  return call;
}

function callSentAs({ waiting, sent }: UnfinishedTurn, id: string): UnansweredCall | undefined {
  const calls = sent.get(id) ?? [];
  for (let call = calls.pop(); call; call = calls.pop()) if (waiting.has(call)) return call;
  return undefined;
}

function callNamed({ waiting }: UnfinishedTurn, name: string | null | undefined): UnansweredCall | undefined {
  const wanted = name ? toToolName(name) : null;
  return waiting.values().find((call) => wanted === null || call.name === wanted);
}

function addSyntheticCall(turn: UnfinishedTurn, message: LooseToolMessage, issueId: IssueId): UnansweredCall {
  const call = {
    id: issueId(message.tool_call_id),
    sent: message.tool_call_id,
    name: toToolName(message.name),
    arguments: "{}",
  };
  turn.calls.push(call);
  return call;
}

function closeTurn({ reply, calls, waiting, results }: UnfinishedTurn): readonly ChatMessage[] {
  if (calls.length === 0) return [reply];
  return [
    {
      ...reply,
      tool_calls: calls.map(({ id, name, arguments: text, echo }) =>
        compact({
          id,
          name,
          arguments: text,
          echo,
        }),
      ),
    },
    ...results,
    ...Array.from(waiting, (call): ChatMessage => ({
      role: "tool",
      content: missingResult,
      tool_call_id: call.id,
      name: call.name,
    })),
  ];
}
