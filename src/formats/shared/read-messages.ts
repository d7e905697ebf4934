import { compact } from "../../base/compact.ts";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import { parseIfJson } from "../documents/exact-json.ts";
import { anyField, field, listField, scalarText, textField, locationBelow } from "../documents/records.ts";
import type { ScenarioCollector } from "./scenario-collector.ts";
import type { ImportedTurn } from "./imported-scenario.ts";
import type { SourceLocation } from "../documents/format-error.ts";
import {
  joinResults,
  readToolCall,
  readToolCalls,
  readToolResult,
  toReferenceCalls,
  type ImportedToolCall,
  type ImportedToolResult,
} from "./tool-calls.ts";

type Role = "system" | "user" | "assistant" | "tool";

/** A message of any tool in one form. `lost` lists parts that are neither text nor tool calls and results. */
export interface ParsedMessage {
  readonly role: Role;
  readonly text: string;
  readonly calls: readonly ImportedToolCall[];
  readonly results: readonly ImportedToolResult[];
  /** False for a reply that training data includes only as context. */
  readonly isExample: boolean;
  readonly lost: readonly string[];
}

const roles: Readonly<Record<string, Role>> = {
  system: "system",
  developer: "system",
  user: "user",
  human: "user",
  customer: "user",
  assistant: "assistant",
  ai: "assistant",
  gpt: "assistant",
  model: "assistant",
  bot: "assistant",
  chatgpt: "assistant",
  agent: "assistant",
  tool: "tool",
  function: "tool",
  function_call: "assistant",
  tool_call: "assistant",
  function_call_output: "tool",
  function_response: "tool",
  tool_response: "tool",
  observation: "tool",
};

/** Types of content parts that call a tool, and of those with a tool's result. */
const callParts: ReadonlySet<string> = new Set([
  "tool_use",
  "toolUse",
  "tool_call",
  "tool-call",
  "functionCall",
  "function_call",
]);
const answerParts: ReadonlySet<string> = new Set([
  "tool_result",
  "toolResult",
  "functionResponse",
  "function_response",
  "tool-result",
  "tool_call_response",
  "tool_response",
  "function_call_output",
]);

function roleOf(name: unknown): Role | undefined {
  const key = scalarText(name)
    ?.toLowerCase()
    .replace(/message(chunk)?$/, "");
  return key !== undefined && Object.hasOwn(roles, key) ? roles[key] : undefined;
}

/**
 * Reads messages of OpenAI, ShareGPT and LangChain (plain, stored and serialised), of OpenTelemetry and of dialogue datasets,
 * `[role, text]` and `{role: text}`; undefined for anything else.
 */
export function readMessage(value: unknown): ParsedMessage | undefined {
  if (Array.isArray(value)) return value.length === 2 ? message(value[0], value[1], {}) : undefined;
  if (!isRecord(value)) return undefined;
  const constructor = listField(value, "id")?.at(-1);
  const kwargs = field(value, "kwargs");
  if (isRecord(kwargs) && constructor !== undefined) return message(constructor, field(kwargs, "content"), kwargs);
  const data = field(value, "data");
  if (isRecord(data) && "type" in value) return message(value["type"], field(data, "content"), data);
  const content = anyField(value, "content", "value", "text", "parts", "utterance");
  const role = anyField(value, "role", "from", "type");
  if (role !== undefined) return message(role, content, value);
  const speaker = scalarText(anyField(value, "speaker", "sender"));
  // A system prompt has no speaker: in dialogue datasets, the system is the assistant.
  if (speaker !== undefined) return message(speaker.toLowerCase() === "system" ? "assistant" : speaker, content, value);
  const [only, ...more] = Object.entries(value);
  return only && more.length === 0 ? message(only[0], only[1], {}) : undefined;
}

/** True for a non-empty list of such messages. */
export const isConversation = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.length > 0 && value.every((entry) => readMessage(entry) !== undefined);

function message(name: unknown, content: unknown, fields: JsonRecord): ParsedMessage | undefined {
  const known = roleOf(name);
  if (!known) return undefined;
  // OpenAI's Responses API and ShareGPT have a message of its own for each call and each result.
  const kind = scalarText(name)?.toLowerCase() ?? "";
  if (kind === "function_call" || kind === "tool_call") return callMessage(fields, content);
  const { text, lost, calls: inParts, results } = readContent(content);
  const isTool = known === "tool";
  const listed = isTool ? [] : listedCalls(fields);
  // LangChain repeats Anthropic's calls in the content and under tool_calls.
  const calls = listed.length > 0 ? listed : inParts;
  // Anthropic, Bedrock and Gemini put tool results into user messages.
  const role = known === "user" && text === "" && results.length > 0 ? "tool" : known;
  const refusal = scalarText(field(fields, "refusal"));
  const isExample = anyField(fields, "weight", "loss_weight") !== 0;
  const said = text === "" && refusal !== undefined ? refusal : text;
  // Few-shot examples in system messages are distinguished only by name: example_user, example_assistant.
  const speaker = role === "system" ? scalarText(field(fields, "name")) : undefined;
  return {
    role,
    text: speaker ? `${speaker}: ${said}` : isTool ? "" : said,
    calls,
    results:
      isTool && results.length === 0 ? [readToolResult(fields, isPlain(content) ? content : undefined)] : results,
    isExample,
    lost: isTool ? [] : lost,
  };
}

const isPlain = (content: unknown): boolean => scalarText(content) !== undefined || Array.isArray(content);

function callMessage(fields: JsonRecord, content: unknown): ParsedMessage {
  const call = readToolCall(fields) ?? readToolCall(parseIfJson(content));
  return { role: "assistant", text: "", calls: call ? [call] : [], results: [], isExample: true, lost: [] };
}

/** The calls beside the content of a message. */
function listedCalls(fields: JsonRecord): ImportedToolCall[] {
  const further = field(fields, "additional_kwargs");
  const calls = readToolCalls(anyField(fields, "tool_calls", "toolCalls", "tools_called", "toolsCalled"));
  if (calls.length > 0) return calls;
  const legacy = field(fields, "function_call") ?? field(further, "function_call");
  return isRecord(legacy) ? readToolCalls(legacy) : readToolCalls(field(further, "tool_calls"));
}

interface ParsedContent {
  readonly text: string;
  readonly calls: readonly ImportedToolCall[];
  readonly results: readonly ImportedToolResult[];
  /** Kinds of other parts. */
  readonly lost: readonly string[];
}

/** The content of a message: a string, or parts with text, tool calls and results. */
export function readContent(content: unknown): ParsedContent {
  const plain = scalarText(content);
  if (plain !== undefined) return { text: plain, calls: [], results: [], lost: [] };
  if (content === null || content === undefined) return { text: "", calls: [], results: [], lost: [] };
  const parts = Array.isArray(content) ? content : (listField(content, "parts") ?? [content]);
  const texts: string[] = [];
  const calls: ImportedToolCall[] = [];
  const results: ImportedToolResult[] = [];
  const lost: string[] = [];
  for (const part of parts) {
    const kind = partKind(part);
    const call = callParts.has(kind) ? readToolCall(part) : undefined;
    if (call) calls.push(call);
    else if (answerParts.has(kind)) results.push(readToolResult(part));
    else {
      const text = scalarText(part) ?? partText(part);
      if (text !== undefined && kind !== "thought") texts.push(text);
      else lost.push(kind);
    }
  }
  // Gemini's parts have no type and are pieces of one text; parts of other APIs are paragraphs.
  const isPieces = parts.every((part) => isRecord(part) && !("type" in part));
  return { text: texts.join(isPieces ? "" : "\n"), calls, results, lost };
}

/** Most parts have `text`; OpenAI's threads nest it under `value`, OpenTelemetry has `content`, some training data only `value`. */
function partText(part: unknown): string | undefined {
  const text = anyField(part, "text", "input_text", "output_text");
  const isText = field(part, "type") === "text";
  const value = isText ? field(isRecord(text) ? text : part, "value") : undefined;
  return scalarText(text) ?? scalarText(value) ?? (isText ? textField(part, "content") : undefined);
}

function partKind(part: unknown): string {
  if (field(part, "thought") === true) return "thought";
  const type = scalarText(field(part, "type"));
  return type ?? (isRecord(part) ? (Object.keys(part)[0] ?? "empty part") : "unknown part");
}

export interface ParsedConversation {
  readonly system: string | undefined;
  readonly turns: readonly ImportedTurn[];
  /** True if the last message is the user's, so the reply is still expected. */
  readonly open: boolean;
  /** Fields of the input that are not part of the conversation. */
  readonly ignored?: readonly string[];
}

interface MessageSource {
  readonly messages: readonly unknown[];
  /** The location of the list; messages are located below it. */
  readonly place: SourceLocation;
  readonly collector: Pick<ScenarioCollector, "note">;
  /** The pointer steps to a message, if the messages are not in a list. */
  readonly stepsTo?: ((index: number) => readonly string[]) | undefined;
}

/**
 * Every user message starts a turn; the assistant text before the next one is its reference reply, and the tool calls before it are
 * the expected ones.
 */
export function turnsFromMessages({ messages, place, collector, stepsTo }: MessageSource): ParsedConversation {
  const system: string[] = [];
  const turns: AnsweredMessage[] = [];
  for (const [index, value] of messages.entries()) {
    const at = locationBelow(place, ...(stepsTo?.(index) ?? [index]));
    if (textField(value, "type") === "reasoning") {
      collector.note("dropped", at, "reasoning is not part of a reply", "reasoning items");
      continue;
    }
    const message = readMessage(value);
    if (!message) {
      collector.note("dropped", at, "this is not a message with a known role", "messages without a known role");
      continue;
    }
    noteMessageLosses(message, at, collector);
    const turn = turns.at(-1);
    if (message.role === "system") {
      if (turn) collector.note("changed", at, "a system message in mid-conversation was moved to the system prompt");
      system.push(message.text);
    } else if (message.role === "user") turns.push(newTurn(message.text, at));
    else if (message.role === "assistant") takeReply(message, turn, at, collector);
    takeResults(message.results, turn, at, collector);
  }
  return {
    system: system.join("\n\n") || undefined,
    turns: turns.map((turn) => finishTurn(turn, collector)),
    open: turns.at(-1)?.isAnswered === false,
  };
}

type Notes = Pick<ScenarioCollector, "note">;

interface AnsweredMessage {
  readonly user: string;
  readonly place: SourceLocation;
  readonly replies: string[];
  /** Texts beside tool calls. */
  readonly beside: { readonly text: string; readonly place: SourceLocation }[];
  calls: ImportedToolCall[];
  /** False if training data includes the turn only as context. */
  isExpected: boolean;
  isAnswered: boolean;
}

const newTurn = (user: string, place: SourceLocation): AnsweredMessage => ({
  user,
  place,
  replies: [],
  beside: [],
  calls: [],
  isExpected: true,
  isAnswered: false,
});

function finishTurn(
  { user, place, replies, beside, calls, isExpected }: AnsweredMessage,
  { note }: Notes,
): ImportedTurn {
  // A turn that ends with calls is answered by them; the text beside them is then all that was said.
  const said = replies.length > 0 ? replies : beside.splice(-1).map(({ text }) => text);
  for (const { place: at } of beside)
    note("dropped", at, "text beside a tool call is not part of the reply", "texts beside tool calls");
  const expected = isExpected && calls.length > 0 ? toReferenceCalls(calls, { place, note }) : undefined;
  return compact({ user, reference: said.join("\n\n"), calls: calls.length > 0 ? calls : undefined, expected });
}

function takeReply(
  message: ParsedMessage,
  turn: AnsweredMessage | undefined,
  at: SourceLocation,
  { note }: Notes,
): void {
  const { text, calls, isExample } = message;
  if (!turn) {
    note(
      "dropped",
      at,
      "an assistant message before the first user message belongs to no turn",
      "assistant messages before the first user message",
    );
    return;
  }
  turn.calls = [...turn.calls, ...calls];
  if (!isExample) {
    turn.isAnswered = true;
    turn.isExpected = false;
    note(
      "dropped",
      at,
      "a reply with weight 0 is excluded from training, so it is not a reference reply",
      "replies with weight 0",
    );
  } else if (calls.length > 0) {
    turn.isAnswered = true;
    if (text !== "") turn.beside.push({ text, place: at });
  } else {
    turn.isAnswered = true;
    if (turn.replies.length > 0) note("changed", at, "several assistant messages in a row were joined into one reply");
    turn.replies.push(text);
  }
}

function takeResults(
  results: readonly ImportedToolResult[],
  turn: AnsweredMessage | undefined,
  at: SourceLocation,
  { note }: Notes,
): void {
  if (results.length === 0) return;
  const { calls, unmatched } = joinResults(turn?.calls ?? [], results);
  if (turn) turn.calls = calls;
  if (unmatched > 0)
    note("dropped", at, "a tool result without the call that it answers", "tool results without a call");
}

/** Notes the parts of a message that are neither text nor tool calls. */
export function noteMessageLosses(message: ParsedMessage, at: SourceLocation, collector: Notes): void {
  if (message.lost.length > 0)
    collector.note("dropped", at, `only text is kept; dropped: ${[...new Set(message.lost)].join(", ")}`);
}
