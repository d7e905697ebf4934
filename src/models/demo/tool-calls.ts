import { isRecord } from "../../base/json.ts";
import type { ChatMessage, ChatRequest, ToolCall, ToolDefinition } from "../../contract/ports/chat-model.ts";

interface DemoToolPlan {
  readonly calls: readonly Omit<ToolCall, "id">[];
  /** Questions that need a tool which was not offered. */
  readonly missing: readonly string[];
}

/** The calls of `current_time` and `calculator` that answer a user's text. */
export function planToolCalls(text: string, { tools = [], tool_choice }: ChatRequest): DemoToolPlan {
  const offered = new Map(tool_choice === "none" ? [] : tools.map((tool) => [tool.name, tool]));
  const calls: Omit<ToolCall, "id">[] = [];
  const missing: string[] = [];

  const time = findTimeQuestion(text);
  const clock = offered.get("current_time");
  if (time && clock) calls.push(call(clock, timeArguments(clock, time.timezone)));
  if (time && !clock) missing.push("clock");

  const expression = findArithmetic(text);
  const calculator = offered.get("calculator");
  if (expression !== null && calculator) calls.push(call(calculator, { [expressionField(calculator)]: expression }));
  if (expression !== null && !calculator) missing.push("calculator");

  return { calls, missing };
}

function call(tool: ToolDefinition, values: Record<string, string>): Omit<ToolCall, "id"> {
  return { name: tool.name, arguments: JSON.stringify(values) };
}

function timeArguments(tool: ToolDefinition, timezone: string | null): Record<string, string> {
  const field = schemaFields(tool).find((name) => /^(?:time_?zone|tz)$/i.test(name));
  if (field === undefined) return {};
  const { required } = tool.parameters;
  const isRequired = Array.isArray(required) && required.includes(field);
  return timezone === null && !isRequired ? {} : { [field]: timezone ?? "UTC" };
}

function expressionField(tool: ToolDefinition): string {
  const fields = schemaFields(tool);
  return fields.includes("expression") ? "expression" : (fields[0] ?? "expression");
}

function schemaFields({ parameters }: ToolDefinition): string[] {
  const { properties } = parameters;
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
}

const words: readonly (readonly [RegExp, string])[] = [
  [/(?<=\d),(?=\d{3}(?!\d))/g, ""],
  [/(?<!\d)(\d+(?:\.\d+)?)\s*(?:%|percent)\s+of\s+/gi, "$1 / 100 * "],
  [/[×⋅]|x(?<=[\d)]\s*x)(?=\s*[\d(])|\bmultiplied by\b|\btimes\b/gi, "*"],
  [/÷|\bdivided by\b/gi, "/"],
  [/[−–]|\bminus\b/gi, "-"],
  [/\bplus\b/gi, "+"],
];

// An explicit request, or nothing but the sum: "it took 2-3 days" is not a sum.
const question =
  /(?:^|\b(?:what(?:'s|’s| is| are)?|how much (?:is|are)|calculate|compute|evaluate|work out|solve)\s+)([\d(-][\d\s.+\-*/()^]*)(?=\s*(?:$|[?=!,;:]|and\b|please\b|for me\b|then\b))/i;
const operation = /[\d)]\s*[+\-*/^]\s*[-(\d]/;
const longest = 300;

/** The requested sum as an expression, or null: `what is 12 times 4?` → `12 * 4`. */
export function findArithmetic(text: string): string | null {
  const rewritten = words.reduce((result, [pattern, sign]) => result.replaceAll(pattern, sign), text.slice(0, longest));
  const found = question.exec(rewritten.trim())?.[1] ?? "";
  const expression = found
    .replaceAll(/\s+/g, " ")
    .replace(/(?<![\s.+\-*/^])[\s.+\-*/^]+$/, "")
    .trim();
  return operation.test(expression) && isBalanced(expression) ? expression : null;
}

function isBalanced(expression: string): boolean {
  let open = 0;
  for (const sign of expression) {
    if (sign === "(") open += 1;
    if (sign === ")") open -= 1;
    if (open < 0) return false;
  }
  return open === 0;
}

/** The result of one tool after the user's last message. */
export interface ToolResult {
  readonly name: string;
  /** The call's arguments; "" when unknown. */
  readonly input: string;
  readonly output: string;
  readonly failed: boolean;
}

const longestShown = 300;
const failureText = /^\s*(?:error|invalid|(?:the )?tool failed|the (?:call|tool) (?:was not run|did not))\b/i;
const outputFields = ["readable", "result", "value", "answer", "time", "local_time", "datetime", "iso", "now", "text"];

/** The tool results at the end of the conversation. */
export function lastToolResults(messages: readonly ChatMessage[]): ToolResult[] {
  const end = messages.findLastIndex(({ role }) => role !== "tool");
  const asked = messages[end];
  const calls = asked?.role === "assistant" ? (asked.tool_calls ?? []) : [];
  return messages.slice(end + 1).flatMap((message) => (message.role === "tool" ? toDemoResult(message, calls) : []));
}

/** The number of tool calls since the user's last message. */
export function toolRounds(messages: readonly ChatMessage[]): number {
  const start = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(start + 1).filter((message) => message.role === "assistant" && message.tool_calls?.length)
    .length;
}

function toDemoResult(message: Extract<ChatMessage, { role: "tool" }>, calls: readonly ToolCall[]): ToolResult {
  const call = calls.find(({ id }) => id === message.tool_call_id);
  const content = parseCallArguments(unwrap(message.content));
  return {
    name: call?.name ?? message.name ?? "tool",
    input: firstValue(parseCallArguments(call?.arguments ?? "")),
    output: outputOf(content).slice(0, longestShown),
    failed: failureText.test(message.content) || hasError(content),
  };
}

/** Agents wrap tool output in tags, so that a model does not treat it as instructions. */
export function unwrap(text: string): string {
  return /^<([\w-]+)>\s([\s\S]*)\s<\/\1>$/.exec(text.trim())?.[2] ?? text;
}

function hasError(content: unknown): boolean {
  return isRecord(content) && Boolean(content["error"]);
}

function outputOf(content: unknown): string {
  if (!isRecord(content)) return String(content).trim();
  const field = outputFields.find((name) => ["string", "number"].includes(typeof content[name]));
  return field === undefined ? JSON.stringify(content) : String(content[field]);
}

function firstValue(content: unknown): string {
  return isRecord(content) ? String(Object.values(content)[0] ?? "") : "";
}

/** The parsed JSON of a text, or the text itself. */
function parseCallArguments(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const timeQuestion =
  /\b(?:what(?:'s|’s| is)? the (?:current |exact )?time|what time (?:is it|do we have)|current time|time is it|what(?:'s|’s| is) (?:today's|today’s|the) date|what (?:day|date) is (?:it|today))\b(?! (?:delivered|shipped|sent|due|for|limit|of)\b)/i;

const zones: Readonly<Record<string, string>> = {
  amsterdam: "Europe/Amsterdam",
  berlin: "Europe/Berlin",
  "hong kong": "Asia/Hong_Kong",
  london: "Europe/London",
  "los angeles": "America/Los_Angeles",
  madrid: "Europe/Madrid",
  mumbai: "Asia/Kolkata",
  "new york": "America/New_York",
  paris: "Europe/Paris",
  "san francisco": "America/Los_Angeles",
  singapore: "Asia/Singapore",
  sydney: "Australia/Sydney",
  tokyo: "Asia/Tokyo",
  utc: "UTC",
  zurich: "Europe/Zurich",
};

interface TimeQuestion {
  /** IANA name of the place, if the user named a known one. */
  readonly timezone: string | null;
}

/** A question for the time or the date and its place; null for other texts. */
export function findTimeQuestion(text: string): TimeQuestion | null {
  if (!timeQuestion.test(text)) return null;
  const named = /\b[A-Z][a-z]+\/[A-Z][A-Za-z_]+\b/.exec(text)?.[0];
  if (named !== undefined && isTimezone(named)) return { timezone: named };
  const place = Object.keys(zones).find((name) => new RegExp(String.raw`\b${name}\b`, "i").test(text));
  return { timezone: place === undefined ? null : (zones[place] ?? null) };
}

function isTimezone(name: string): boolean {
  try {
    Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
