import { compact } from "../../base/compact.ts";
import { canonicalJson, isRecord } from "../../base/json.ts";
import { truncateText } from "../../base/text.ts";
import type {
  ChatMessage,
  ChatModel,
  Reply,
  ReportedToolCall,
  SuccessfulReply,
  ToolCall,
} from "../../contract/ports/chat-model.ts";
import type { CallReporting } from "../../contract/protocols/protocols.ts";
import type { StoredReply } from "../../contract/schemas/interaction-result.ts";
import type { RecordedToolCall } from "../../contract/schemas/acting/tool-call.ts";

/** Longer arguments are cut: they are stored, shown and sent back to the model with every later call. */
const maxArgumentCharacters = 1_000_000;
/** Characters kept of arguments that are too long. */
const keptCharacters = 10_000;
/** Deeper arguments are kept as text: they can be parsed, but not safely compared. */
const maxDepth = 64;
/** Calls of one turn that are recorded. A model that repeats itself may ask for any number. */
export const maxRecordedCalls = 10_000;

/** The calls of a reply as they are recorded: those of an agent's own tools, then those that wait for a result. */
export function recordedCalls({ reported_calls = [], tool_calls }: SuccessfulReply): RecordedToolCall[] {
  return [...reported_calls, ...tool_calls].slice(0, maxRecordedCalls).map(toRecordedCall);
}

/** Marks replies without tool calls whose answers could not have shown any. */
export function markUnseenCalls(model: ChatModel, reporting: CallReporting): ChatModel {
  if (reporting === "always") return model;
  return async (request, options) => {
    const reply = await model(request, options);
    if (!reply.ok || reply.reported_calls || reply.tool_calls.length > 0) return reply;
    const isOffered = (request.tools ?? []).length > 0 || Array.isArray(request.parameters?.extra?.["tools"]);
    return reporting === "offered" && isOffered ? reply : { ...reply, calls_unseen: true };
  };
}

/**
 * The reply without calls that an earlier turn of the conversation has: many APIs answer with the whole conversation. Some agents
 * number the calls of each turn from 0, so the id alone does not identify a call. An agent that has reported calls before would have
 * reported those of this turn too.
 */
export function withoutEarlierCalls(reply: Reply, earlier: readonly RecordedToolCall[]): Reply {
  if (!reply.ok || earlier.length === 0) return reply;
  const { calls_unseen: _, ...seen } = reply;
  if (!seen.reported_calls || seen.calls_of_turn) return seen;
  const known = new Set(earlier.flatMap((call) => (call.id === "" ? [] : [callKey(call)])));
  return { ...seen, reported_calls: seen.reported_calls.filter((call) => !known.has(callKey(toRecordedCall(call)))) };
}

function callKey({ id, name, arguments: given }: RecordedToolCall): string {
  return JSON.stringify([id, name, canonicalJson(given)]);
}

/** Arguments that are not JSON are kept as text. */
export function toRecordedCall(call: ReportedToolCall | ToolCall): RecordedToolCall {
  const { id, name, result, error, ms, arguments_unknown } = call as ReportedToolCall;
  return compact({
    id,
    name,
    ...(arguments_unknown ? { arguments: null, arguments_unknown } : parseArguments(call.arguments)),
    result: result === undefined ? undefined : (result as RecordedToolCall["result"] & {}),
    error,
    ms,
  });
}

function parseArguments(text: string): Pick<RecordedToolCall, "arguments" | "arguments_error"> {
  if (text.length > maxArgumentCharacters) {
    return {
      arguments: truncateText(text, keptCharacters),
      arguments_error: `The arguments have ${text.length} characters; at most ${maxArgumentCharacters} are read.`,
    };
  }
  // Endpoints send an empty text or null for a call without arguments.
  if (/^\s*(?:null\s*)?$/.test(text)) return { arguments: {} };
  try {
    const value = JSON.parse(text) as RecordedToolCall["arguments"];
    // Some servers encode the arguments as JSON twice.
    if (typeof value === "string" && value.trimStart().startsWith("{")) return parseArguments(value);
    if (isWithinCallDepth(value, maxDepth)) return { arguments: value };
    return { arguments: text, arguments_error: `The arguments are nested more than ${maxDepth} levels deep.` };
  } catch (error) {
    const reason = error instanceof Error ? error.message : "The text is not valid JSON.";
    return { arguments: text, arguments_error: truncateText(reason, 200) };
  }
}

function isWithinCallDepth(value: unknown, left: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return left > 0 && Object.values(value).every((item) => isWithinCallDepth(item, left - 1));
}

const noResult = "No result is available: the tool was not run.";

/**
 * A turn's reply as the messages of a later turn. Calls that got no result are shown as calls, each with a result that says so:
 * providers reject a call without a result. Calls that an agent answered itself are part of its reply.
 */
export function replyMessages({ agent_reply: content, tool_calls = [] }: StoredReply): readonly ChatMessage[] {
  // Calls that only spans show are no part of what the agent said.
  const said = tool_calls.filter(({ source }) => source === undefined);
  const [open, answered] = [said.filter(isOpen), said.filter((call) => !isOpen(call))];
  const own = answered.length > 0 && { answered_calls: answered.map(toReportedCall) };
  if (open.length === 0) return [{ role: "assistant", content, ...own }];
  return [
    {
      role: "assistant",
      content,
      ...own,
      tool_calls: open.map((call) => ({ id: call.id, name: call.name, arguments: sentArguments(call) })),
    },
    ...open.map(({ id, name }): ChatMessage => ({ role: "tool", tool_call_id: id, name, content: noResult })),
  ];
}

const isOpen = ({ result, error }: RecordedToolCall): boolean => result === undefined && error === undefined;

function toReportedCall(call: RecordedToolCall): ReportedToolCall {
  const { id, name, result, error } = call;
  return compact({ id, name, arguments: sentArguments(call), result, error });
}

/** The arguments as they are sent back. Providers reject those that are not a JSON object. */
export function sentArguments({ arguments: value, arguments_error }: RecordedToolCall): string {
  return arguments_error === undefined && isRecord(value) ? JSON.stringify(value) : "{}";
}

/** Cached because each reply is counted again before every later turn. */
const counted = new WeakMap<object, number>();

/** Characters of the calls of a reply as JSON. */
export function callCharacters({ tool_calls }: StoredReply): number {
  if (!tool_calls) return 0;
  const characters = counted.get(tool_calls) ?? JSON.stringify(tool_calls).length;
  counted.set(tool_calls, characters);
  return characters;
}
