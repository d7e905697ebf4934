import type { ChatRequest, ToolCall, ToolDefinition } from "../../contract/ports/chat-model.ts";
import { findArithmetic } from "./arithmetic-question.ts";
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
