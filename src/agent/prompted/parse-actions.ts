import type { ToolCall } from "../../contract/model.ts";
import { findObject } from "./find-json.ts";

/** What a model wrote, taken apart: the text for the reader, and the tools it asks for. */
export interface ParsedReply {
  readonly text: string;
  readonly tool_calls: readonly ToolCall[];
}

/** How calls are written. Only the first is what we ask for; models fall back on what they were trained with. */
const openings: readonly { readonly pattern: RegExp; readonly explicit: boolean }[] = [
  { pattern: /```[ \t]*(?:tool_call|tool_code|action|tool)\b[^\n{]*\n?/gi, explicit: true },
  { pattern: /<(?:tool_call|function_call|action)>/gi, explicit: true },
  { pattern: /```[ \t]*(?:json)?[ \t]*\n(?=\s*\{)/gi, explicit: false },
];
const reactCall = /(?:^|\n)[ \t]*Action:[ \t]*`?([\w.-]+)`?[ \t]*\n[ \t]*Action Input:[ \t]*/gi;
/** Where a model begins to make up what a tool answers. */
const inventedResult = /\n[ \t]*(?:Observation:|Results? of |<untrusted_tool_output)/i;

/** Bounds on the search: a model's text can be as long and as odd as it likes. */
const searchedCharacters = 256 * 1024;
const mostCalls = 64;

/**
 * Reads tool calls out of plain text. Blocks marked as calls are taken whatever they hold, so that the loop can have
 * them repaired; bare JSON counts only when it names a known tool, since an answer may hold JSON of its own.
 */
export function parseActions(reply: string, toolNames: ReadonlySet<string>): ParsedReply {
  const invented = inventedResult.exec(reply);
  const text = reply.slice(0, Math.min(invented?.index ?? reply.length, searchedCharacters));
  const found = [...findBlocks(text, toolNames), ...findReactCalls(text), ...findBare(text, toolNames)];
  const calls = withoutOverlap(found);
  if (calls.length === 0) return { text: reply, tool_calls: [] };
  return { text: text.slice(0, calls[0]?.start).trimEnd(), tool_calls: calls.map(({ call }) => call) };
}

interface FoundCall {
  readonly start: number;
  readonly end: number;
  readonly call: ToolCall;
}

function* findBlocks(text: string, toolNames: ReadonlySet<string>): Iterable<FoundCall> {
  for (const { pattern, explicit } of openings) {
    for (const match of text.matchAll(pattern).take(mostCalls)) {
      const body = match.index + match[0].length;
      const span = findObject(text, body);
      const nextFence = text.slice(body).search(/```|<\/(?:tool_call|function_call|action)>/i);
      const blockEnd = nextFence === -1 ? text.length : body + nextFence;
      const end = span && span.start <= blockEnd ? Math.max(span.end, blockEnd) : blockEnd;
      const raw = span && span.start <= blockEnd ? text.slice(span.start, span.end) : text.slice(body, blockEnd);
      const call = toCall(raw.trim());
      if (call && (explicit || toolNames.has(call.name))) yield { start: match.index, end, call };
    }
  }
}

function* findReactCalls(text: string): Iterable<FoundCall> {
  for (const match of text.matchAll(reactCall).take(mostCalls)) {
    const body = match.index + match[0].length;
    const span = findObject(text, body);
    const sent = span && text.slice(body, span.start).trim() === "" ? text.slice(span.start, span.end) : null;
    const end = span && sent ? span.end : text.length;
    yield {
      start: match.index,
      end,
      call: { id: "", name: match[1] ?? "", arguments: sent ?? text.slice(body).trim() },
    };
  }
}

/** A reply that is one JSON object and nothing else. */
function* findBare(text: string, toolNames: ReadonlySet<string>): Iterable<FoundCall> {
  if (!text.trimStart().startsWith("{")) return;
  const span = findObject(text);
  const call = span && toCall(text.slice(span.start, span.end));
  if (span && call && toolNames.has(call.name)) yield { start: 0, end: span.end, call };
}

function withoutOverlap(found: readonly FoundCall[]): readonly FoundCall[] {
  const kept: FoundCall[] = [];
  for (const call of found.toSorted((left, right) => left.start - right.start)) {
    if (call.start >= (kept.at(-1)?.end ?? 0)) kept.push(call);
  }
  return kept;
}

/** `{"tool": …, "args": …}` under any of the names models use. Broken JSON keeps its name, for the repair. */
function toCall(raw: string): ToolCall | null {
  const value = parse(raw);
  if (!value) {
    const name = /"(?:tool|name|action|function)"\s*:\s*"([^"]+)"/.exec(raw)?.[1];
    return name ? { id: "", name, arguments: argumentsPart(raw) } : null;
  }
  const inner = isRecord(value["function"]) ? value["function"] : value;
  const name = inner["tool"] ?? inner["name"] ?? inner["action"] ?? inner["function"];
  const args =
    inner["args"] ?? inner["arguments"] ?? inner["parameters"] ?? inner["input"] ?? inner["action_input"] ?? {};
  if (typeof name !== "string") return null;
  return { id: "", name, arguments: typeof args === "string" ? args : JSON.stringify(args) };
}

function argumentsPart(raw: string): string {
  const start = /"(?:args|arguments|parameters|input|action_input)"\s*:\s*/.exec(raw);
  return start ? raw.slice(start.index + start[0].length) : raw;
}

function parse(raw: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(raw);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
