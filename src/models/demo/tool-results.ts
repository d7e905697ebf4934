import { isRecord } from "../../base/json.ts";
import type { ChatMessage, ToolCall } from "../../contract/ports/chat-model.ts";

/** What one tool answered after the user's last message. */
export interface ToolResult {
  readonly name: string;
  /** What it was called with, "" when unknown. */
  readonly input: string;
  readonly output: string;
  readonly failed: boolean;
}

const longestShown = 300;
const failureText = /^\s*(?:error|invalid|(?:the )?tool failed|the (?:call|tool) (?:was not run|did not))\b/i;
const outputFields = ["readable", "result", "value", "answer", "time", "local_time", "datetime", "iso", "now", "text"];

/** The results that end the conversation: empty when the model is not being handed any. */
export function lastToolResults(messages: readonly ChatMessage[]): ToolResult[] {
  const end = messages.findLastIndex(({ role }) => role !== "tool");
  const asked = messages[end];
  const calls = asked?.role === "assistant" ? (asked.tool_calls ?? []) : [];
  return messages.slice(end + 1).flatMap((message) => (message.role === "tool" ? toResult(message, calls) : []));
}

/** How often tools were called since the user last spoke. */
export function toolRounds(messages: readonly ChatMessage[]): number {
  const start = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(start + 1).filter((message) => message.role === "assistant" && message.tool_calls?.length)
    .length;
}

function toResult(message: Extract<ChatMessage, { role: "tool" }>, calls: readonly ToolCall[]): ToolResult {
  const call = calls.find(({ id }) => id === message.tool_call_id);
  const content = parseJson(unwrap(message.content));
  return {
    name: call?.name ?? message.name ?? "tool",
    input: firstValue(parseJson(call?.arguments ?? "")),
    output: outputOf(content).slice(0, longestShown),
    failed: failureText.test(message.content) || hasError(content),
  };
}

/** Agents put tool output between tags, so that a model does not take it for instructions. */
function unwrap(text: string): string {
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

/** The JSON a text holds, or the text itself. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
