import type { ChatRequest, ToolCall, ToolDefinition } from "../../contract/ports/chat-model.ts";
import { findTimeQuestion } from "./time-question.ts";

interface ToolPlan {
  readonly calls: readonly Omit<ToolCall, "id">[];
  /** What was asked for that only a tool could tell, but was not offered. */
  readonly missing: readonly string[];
}

/** The calls of `current_time` and `calculator` that a user's words ask for. */
export function planToolCalls(text: string, { tools = [], tool_choice }: ChatRequest): ToolPlan {
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
  const field = fieldsOf(tool).find((name) => /^(?:time_?zone|tz)$/i.test(name));
  if (field === undefined) return {};
  const { required } = tool.parameters;
  const isRequired = Array.isArray(required) && required.includes(field);
  return timezone === null && !isRequired ? {} : { [field]: timezone ?? "UTC" };
}

function expressionField(tool: ToolDefinition): string {
  const fields = fieldsOf(tool);
  return fields.includes("expression") ? "expression" : (fields[0] ?? "expression");
}

function fieldsOf({ parameters }: ToolDefinition): string[] {
  const { properties } = parameters;
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
}

const words: readonly (readonly [RegExp, string])[] = [
  [/(?<=\d),(?=\d{3}(?!\d))/g, ""],
  [/(\d+(?:\.\d+)?)\s*(?:%|percent)\s+of\s+/gi, "$1 / 100 * "],
  [/[×⋅]|(?<=[\d)]\s*)x(?=\s*[\d(])|\bmultiplied by\b|\btimes\b/gi, "*"],
  [/÷|\bdivided by\b/gi, "/"],
  [/[−–]|\bminus\b/gi, "-"],
  [/\bplus\b/gi, "+"],
];

// Asked for outright, or nothing else said: "it took 2-3 days" is not a sum.
const question =
  /(?:^|\b(?:what(?:'s|’s| is| are)?|how much (?:is|are)|calculate|compute|evaluate|work out|solve)\s+)([\d(-][\d\s.+\-*/()^]*)(?=\s*(?:$|[?=!,;:]|and\b|please\b|for me\b|then\b))/i;
const operation = /[\d)]\s*[+\-*/^]\s*[-(\d]/;
const longest = 300;

/** The sum a user asks for, written for a calculator, or null: `what is 12 times 4?` → `12 * 4`. */
export function findArithmetic(text: string): string | null {
  const rewritten = words.reduce((result, [pattern, sign]) => result.replaceAll(pattern, sign), text.slice(0, longest));
  const found = question.exec(rewritten.trim())?.[1] ?? "";
  const expression = found
    .replaceAll(/\s+/g, " ")
    .replace(/[\s.+\-*/^]+$/, "")
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
