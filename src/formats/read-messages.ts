import { isRecord, type JsonRecord } from "../base/json.ts";
import { anyField, field, listField, scalarText, locationBelow } from "./documents/records.ts";
import type { ScenarioCollector } from "./scenario-collector.ts";
import type { ImportedTurn } from "./imported-scenario.ts";
import type { SourceLocation } from "./scenario-file.ts";

type Role = "system" | "user" | "assistant" | "tool";

/** A message of any tool in one form. `lost` lists parts that are not text. */
export interface ParsedMessage {
  readonly role: Role;
  readonly text: string;
  readonly callsTools: boolean;
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
  function_call: "tool",
  function_call_output: "tool",
  function_response: "tool",
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
]);

function roleOf(name: unknown): Role | undefined {
  const key = scalarText(name)
    ?.toLowerCase()
    .replace(/message(chunk)?$/, "");
  return key !== undefined && Object.hasOwn(roles, key) ? roles[key] : undefined;
}

/**
 * Reads messages of OpenAI, ShareGPT and LangChain (plain, stored and serialised), `[role, text]` and `{role: text}`; undefined for
 * anything else.
 */
export function readMessage(value: unknown): ParsedMessage | undefined {
  if (Array.isArray(value)) return value.length === 2 ? message(value[0], value[1], {}) : undefined;
  if (!isRecord(value)) return undefined;
  const constructor = listField(value, "id")?.at(-1);
  const kwargs = field(value, "kwargs");
  if (isRecord(kwargs) && constructor !== undefined) return message(constructor, field(kwargs, "content"), kwargs);
  const data = field(value, "data");
  if (isRecord(data) && "type" in value) return message(value["type"], field(data, "content"), data);
  const role = anyField(value, "role", "from", "type");
  if (role !== undefined) return message(role, anyField(value, "content", "value", "text", "parts"), value);
  const [only, ...more] = Object.entries(value);
  return only && more.length === 0 ? message(only[0], only[1], {}) : undefined;
}

/** True for a non-empty list of such messages. */
export const isConversation = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.length > 0 && value.every((entry) => readMessage(entry) !== undefined);

function message(name: unknown, content: unknown, fields: JsonRecord): ParsedMessage | undefined {
  const known = roleOf(name);
  if (!known) return undefined;
  const { text, lost } = readContent(content);
  const calls = listField(fields, "tool_calls");
  const callsTools =
    (calls !== undefined && calls.length > 0) ||
    isRecord(field(fields, "function_call")) ||
    (known === "assistant" && lost.some((part) => callParts.has(part)));
  // Anthropic, Bedrock and Gemini put tool results into user messages.
  const role = known === "user" && text === "" && lost.some((part) => answerParts.has(part)) ? "tool" : known;
  const refusal = scalarText(field(fields, "refusal"));
  const isExample = anyField(fields, "weight", "loss_weight") !== 0;
  const said = text === "" && refusal !== undefined ? refusal : text;
  // Few-shot examples in system messages are distinguished only by name: example_user, example_assistant.
  const speaker = role === "system" ? scalarText(field(fields, "name")) : undefined;
  return { role, text: speaker ? `${speaker}: ${said}` : said, callsTools, isExample, lost };
}

/** The text of a message: a string, or its text parts. */
export function readContent(content: unknown): { text: string; lost: readonly string[] } {
  const plain = scalarText(content);
  if (plain !== undefined) return { text: plain, lost: [] };
  if (content === null || content === undefined) return { text: "", lost: [] };
  const parts = Array.isArray(content) ? content : (listField(content, "parts") ?? [content]);
  const texts: string[] = [];
  const lost: string[] = [];
  for (const part of parts) {
    const text = scalarText(part) ?? partText(part);
    if (text !== undefined && field(part, "thought") !== true) texts.push(text);
    else lost.push(partKind(part));
  }
  // Gemini's parts have no type and are pieces of one text; parts of other APIs are paragraphs.
  return { text: texts.join(parts.every((part) => isRecord(part) && !("type" in part)) ? "" : "\n"), lost };
}

/** Most parts have `text`; OpenAI's threads nest it under `value`, and some training data has only `value`. */
function partText(part: unknown): string | undefined {
  const text = anyField(part, "text", "input_text", "output_text");
  const value = field(part, "type") === "text" ? field(isRecord(text) ? text : part, "value") : undefined;
  return scalarText(text) ?? scalarText(value);
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

/** Every user message starts a turn; the assistant text before the next one is its reference reply. */
export function turnsFromMessages({ messages, place, collector, stepsTo }: MessageSource): ParsedConversation {
  const system: string[] = [];
  const turns: Answered[] = [];
  for (const [index, value] of messages.entries()) {
    const at = locationBelow(place, ...(stepsTo?.(index) ?? [index]));
    const message = readMessage(value);
    if (!message) {
      collector.note("dropped", at, "this is not a message with a known role");
      continue;
    }
    noteMessageLosses(message, at, collector);
    const turn = turns.at(-1);
    if (message.role === "system") {
      if (turn) collector.note("changed", at, "a system message in mid-conversation was moved to the system prompt");
      system.push(message.text);
    } else if (message.role === "user") turns.push({ user: message.text, replies: [], isAnswered: false });
    else if (message.role === "assistant") takeReply(message, turn, at, collector);
  }
  return {
    system: system.join("\n\n") || undefined,
    turns: turns.map(({ user, replies }) => ({ user, reference: replies.join("\n\n") })),
    open: turns.at(-1)?.isAnswered === false,
  };
}

type Notes = Pick<ScenarioCollector, "note">;

interface Answered {
  readonly user: string;
  readonly replies: string[];
  isAnswered: boolean;
}

function takeReply(message: ParsedMessage, turn: Answered | undefined, at: SourceLocation, collector: Notes): void {
  if (message.callsTools) {
    if (message.text !== "") collector.note("dropped", at, "text next to a tool call is not part of the reply");
  } else if (!turn)
    collector.note("dropped", at, "an assistant message before the first user message belongs to no turn");
  else if (!message.isExample) {
    turn.isAnswered = true;
    collector.note("dropped", at, "a reply with weight 0 is excluded from training, so it is not a reference reply");
  } else {
    turn.isAnswered = true;
    if (turn.replies.length > 0)
      collector.note("changed", at, "several assistant messages in a row were joined into one reply");
    turn.replies.push(message.text);
  }
}

/** Notes the parts of a message that are not text. */
export function noteMessageLosses(message: ParsedMessage, at: SourceLocation, collector: Notes): void {
  if (message.callsTools) collector.note("dropped", at, "tool calls are not part of a scenario");
  if (message.role === "tool") collector.note("dropped", at, "tool messages are not part of a scenario");
  if (message.lost.length > 0)
    collector.note("dropped", at, `only text is kept; dropped: ${[...new Set(message.lost)].join(", ")}`);
}
