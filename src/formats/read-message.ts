import { isRecord, type JsonRecord } from "../base/json.ts";
import { anyField, field, listField, scalarText } from "./records.ts";

type Role = "system" | "user" | "assistant" | "tool";

/** One message of any peer's conversation, in one shape. `lost` names what has no place in a text. */
export interface PeerMessage {
  readonly role: Role;
  readonly text: string;
  readonly callsTools: boolean;
  /** False for a reply that stands in training data as part of the conversation, but is not to be learnt from. */
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

/** Parts by which a model calls a tool, and those with what a tool answered. */
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

/** OpenAI, ShareGPT, LangChain (plain, stored and serialised), `[role, text]` and `{role: text}`; undefined for anything else. */
export function readMessage(value: unknown): PeerMessage | undefined {
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

/** True for a list of messages in any of these forms. */
export const isConversation = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.length > 0 && value.every((entry) => readMessage(entry) !== undefined);

function message(name: unknown, content: unknown, fields: JsonRecord): PeerMessage | undefined {
  const known = roleOf(name);
  if (!known) return undefined;
  const { text, lost } = readContent(content);
  const calls = listField(fields, "tool_calls");
  const callsTools =
    (calls !== undefined && calls.length > 0) ||
    isRecord(field(fields, "function_call")) ||
    (known === "assistant" && lost.some((part) => callParts.has(part)));
  // Anthropic, Bedrock and Gemini have what a tool answered said by the user, in parts of its own.
  const role = known === "user" && text === "" && lost.some((part) => answerParts.has(part)) ? "tool" : known;
  const refusal = scalarText(field(fields, "refusal"));
  const isExample = anyField(fields, "weight", "loss_weight") !== 0;
  const said = text === "" && refusal !== undefined ? refusal : text;
  // Examples in a system prompt are messages of their own, told apart by their names alone: example_user, example_assistant.
  const speaker = role === "system" ? scalarText(field(fields, "name")) : undefined;
  return { role, text: speaker ? `${speaker}: ${said}` : said, callsTools, isExample, lost };
}

/** The text of a message's content: a string, or parts of which only the textual ones can be kept. */
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
  // Gemini's parts have no type and are pieces of one text; the others' parts are paragraphs.
  return { text: texts.join(parts.every((part) => isRecord(part) && !("type" in part)) ? "" : "\n"), lost };
}

/** Most have it under `text`; OpenAI's threads a step further down, under `value`, and some training data under `value` alone. */
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
