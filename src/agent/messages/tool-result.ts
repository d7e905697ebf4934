import type { ChatMessage } from "../../contract/ports/chat-model.ts";
import type { ToolRun } from "../loop/agent-outcome.ts";

/** The result of a tool as the model reads it. */
export function toResultText({ ok, result }: Pick<ToolRun, "ok" | "result">): string {
  const fenced = fenceUntrusted(result);
  return ok ? fenced : `The tool failed.\n${fenced}`;
}

const tag = "untrusted_tool_output";
const tagInText = new RegExp(`${tag}(?:_(\\d+))?`, "gi");

/**
 * Marks text from outside as data for the model. The text stays unchanged: when it contains the tag, the tag gets a number that
 * the text does not contain, so nothing inside can close the fence.
 */
export function fenceUntrusted(text: string): string {
  const name = unusedTag(text);
  return `<${name}>\n${text}\n</${name}>`;
}

/** Numbers are compared as text: however long one is, it does not match `_2`. */
function unusedTag(text: string): string {
  const taken = new Set<string | undefined>();
  for (const match of text.matchAll(tagInText)) taken.add(match[1]);
  if (taken.size === 0) return tag;
  let number = 2;
  while (taken.has(String(number))) number += 1;
  return `${tag}_${number}`;
}

/** Cuts a text to `bytes` UTF-8 bytes and appends a marker with its full size. */
export function capBytes(text: string, bytes: number): string {
  // One UTF-16 unit is at most three bytes, so most texts need no count.
  if (text.length * 3 <= bytes) return text;
  const size = Buffer.byteLength(text);
  if (size <= bytes) return text;
  return `${firstBytes(text, bytes)}\n[cut: the first ${bytes} of ${size} bytes are shown]`;
}

/** The longest beginning of a text that takes at most `bytes` UTF-8 bytes, in whole characters. */
export function firstBytes(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text;
  const { read } = new TextEncoder().encodeInto(text.slice(0, bytes), new Uint8Array(bytes));
  return text.slice(0, read);
}

const shortenedBytes = 1000;

/**
 * Shortens a history that is too long for its model: cuts the results of the last turn to their beginning, and then results
 * of earlier turns, newest first, until an eighth of all results is saved.
 */
export function shortenResults(history: readonly ChatMessage[], toolRuns: readonly ToolRun[]): readonly ChatMessage[] {
  const results = new Map(toolRuns.map((toolRun) => [toolRun.id, toolRun]));
  const lastReply = history.findLastIndex(({ role }) => role !== "tool");
  let left = toolRuns.reduce((sum, { result }) => sum + result.length, 0) / 8;
  const shortened = history.toReversed().map((message, back) => {
    const toolRun = message.role === "tool" ? results.get(message.tool_call_id) : undefined;
    const isLast = history.length - 1 - back > lastReply;
    if (!toolRun || (!isLast && left <= 0)) return message;
    const result = capBytes(toolRun.result, shortenedBytes);
    left -= toolRun.result.length - result.length;
    return { ...message, content: toResultText({ ...toolRun, result }) };
  });
  return shortened.toReversed();
}
