import {
  createValueFinder,
  createOffsetFinder,
  type FindOffset,
  type FindValue,
  type TextSpan,
} from "../../base/json-text.ts";
import { isRecord } from "../../base/json.ts";
import type { ToolCall } from "../../contract/ports/chat-model.ts";
import { matchToolName } from "../messages/tool-name.ts";
import { readPythonCalls, readPythonList } from "./python-call.ts";
import { findTrainedCalls, type CallBlock, type CallOpening, type KnownTools } from "./trained-calls.ts";

/** A model's text, split into the text for the reader and the tool calls. */
export interface ParsedActions {
  readonly text: string;
  readonly tool_calls: readonly ToolCall[];
}

interface Opening {
  readonly pattern: RegExp;
  readonly explicit: boolean;
}

/** Notations of calls. Only the first is in our prompt; models fall back on those of their training. */
const trainedOpenings: readonly Opening[] = [
  { pattern: /<(?:tool_call|function_call|action)>/gi, explicit: true },
  { pattern: /(?:\[TOOL_CALLS\]|<\|(?:python_tag|tool_call)\|>)\s*(?=[[{\w])/gi, explicit: true },
];
const openings: readonly Opening[] = [
  { pattern: /```[ \t]*(?:tool_call|tool_code|action|tool)\b[^\n{[]*\n?/gi, explicit: true },
  ...trainedOpenings,
  { pattern: /```[ \t]*(?:json[ \t]*)?\r?\n(?=\s*[{[])/gi, explicit: false },
];
/** Blocks that can only be calls: unreadable content goes back to the model. */
const onlyCalls = /tool_call|function_call/i;
/** A block that begins inside a thought ends with it. */
const blockEnding = /```|<\/(?:tool_call|function_call|action|think(?:ing)?)>/gi;
/** Allowed between the keywords and the arguments: some models put the arguments into their own block. */
const beforeInput = /^\s*(?:```(?:json)?\s*)?$/i;
const reactCall = /(?:^|\n)[ \t]*Action:[ \t]*`?([\w.-]+)`?[ \t]*\r?\n[ \t]*Action Input:[ \t]*/gi;
/** The beginning of a tool result that the model invents. */
const inventedResult = /\n[ \t]*(?:Observation:|Results? of |<untrusted_tool_output)/gi;
const thoughtTag = /<(\/?)think(?:ing)?>/gi;
const thoughtEnding = /<\/think(?:ing)?>/gi;

/** Bounds of the search, because a model's text can be arbitrarily long and odd. */
const searchedCharacters = 256 * 1024;
const mostCalls = 64;

/**
 * Parses tool calls in plain text. Blocks marked as calls are taken whatever they contain, so that the loop can have them repaired; bare
 * JSON counts only when it names a known tool, because an answer may contain other JSON. Calls inside thoughts and after an invented
 * result are ignored.
 */
export function parseActions(reply: string, tools: KnownTools): ParsedActions {
  const text = reply.slice(0, searchedCharacters);
  const search = createActionSearch(text, tools);
  // Of two candidates that begin at the same position, the first wins.
  const found = [
    ...findTrainedCalls(text, search),
    ...findBlocks(search, openings),
    ...findReactCalls(search),
    ...findBare(search),
  ];
  const blocks = beforeInventions(search, readCalls(text, found));
  const [first] = blocks;
  if (!first) return { text: reply, tool_calls: [] };
  return { text: text.slice(0, first.start).trimEnd(), tool_calls: blocks.flatMap(({ calls }) => calls) };
}

/**
 * Parses calls that a server with native tools left in the text, because it does not know the notation of its model. Only calls of
 * offered tools in the model's own notation at the end of a reply count: other text may be about calls. Null when there are none.
 */
export function parseLeftCalls(text: string, tools: KnownTools): ParsedActions | null {
  if (text.length > searchedCharacters || !/^\s*\[|<|\[TOOL_CALLS\]/.test(text)) return null;
  const search = createActionSearch(text, tools);
  const blocks = readCalls(text, [
    ...findTrainedCalls(text, search),
    ...findBlocks(search, trainedOpenings),
    ...findPythonList(text, tools),
  ]);
  const [first] = blocks;
  const tool_calls = blocks.flatMap(({ calls }) => calls);
  if (!first || !tool_calls.every((call) => isKnownTool(call, tools))) return null;
  const before = text.slice(0, first.start);
  const after = text.slice(blocks.at(-1)?.end);
  const isQuoted = before.split("```").length % 2 === 0;
  if (isQuoted || !onlyEndings.test(after)) return null;
  return { text: before.trimEnd(), tool_calls };
}

/** Allowed after the last call: its closing marks and end tokens. */
const onlyEndings = /^\s*(?:(?:<\/\w+>|<[|｜][^<>\s]{1,40}[|｜]>)\s*)*$/;

/** One text with cached facts about it, which are needed at every position where a call may begin. */
interface Search {
  readonly text: string;
  readonly tools: KnownTools;
  readonly findValue: FindValue;
  readonly findEnding: FindOffset;
  readonly findInvention: FindOffset;
  readonly findThoughtEnding: FindOffset;
}

function createActionSearch(text: string, tools: KnownTools): Search {
  return {
    text,
    tools,
    findValue: createValueFinder(text),
    findEnding: createOffsetFinder(blockEnding, text),
    findInvention: createOffsetFinder(inventedResult, text),
    findThoughtEnding: createOffsetFinder(thoughtEnding, text),
  };
}

function* findBlocks(search: Search, allowed: readonly Opening[]): Iterable<CallOpening> {
  for (const { pattern, explicit } of allowed) {
    // If nothing here names a tool, no later part of it does.
    let noneBefore = 0;
    for (const { 0: opening, index: start } of search.text.matchAll(pattern).take(mostCalls)) {
      const read = () => {
        if (start < noneBefore && !onlyCalls.test(opening)) return null;
        const { end, calls } = readBlock(search, { opening, body: start + opening.length, explicit });
        if (calls.length > 0) return { start, end, calls };
        if (explicit) noneBefore = end;
        return null;
      };
      yield { start, read };
    }
  }
}

function readBlock(
  search: Search,
  { opening, body, explicit }: { opening: string; body: number; explicit: boolean },
): { end: number; calls: readonly ToolCall[] } {
  const { tools } = search;
  const { values, rest, end } = readValues(search, body);
  const calls = values
    .flatMap((value) => toWrittenCall(value) ?? [])
    .filter((call) => explicit || isKnownTool(call, tools));
  const python = explicit && calls.length === 0 ? readPythonCalls(rest, tools) : [];
  calls.push(...python);
  const broken = explicit && rest !== "" && python.length === 0 ? toBrokenCall(rest) : null;
  if (broken && (broken.name !== "" || (calls.length === 0 && onlyCalls.test(opening)))) calls.push(broken);
  return { end, calls };
}

/** The JSON values of a block, in sequence or in lists, and its unreadable rest. */
function readValues(search: Search, body: number): { values: readonly unknown[]; rest: string; end: number } {
  const { text, findValue } = search;
  const values: unknown[] = [];
  let at = body;
  for (;;) {
    const end = endOfBlock(search, at);
    const span = findValue(at);
    const value =
      span && span.start < end && values.length < mostCalls ? parseActionText(text.slice(span.start, span.end)) : null;
    if (!span || !value) return { values, rest: text.slice(at, end).trim(), end };
    // A list of calls is read as its calls.
    for (const entry of Array.isArray(value) ? (value as unknown[]) : [value]) values.push(entry);
    at = span.end;
  }
}

function endOfBlock({ findEnding, findInvention }: Search, from: number): number {
  return Math.min(findEnding(from), findInvention(from));
}

function* findReactCalls(search: Search): Iterable<CallOpening> {
  for (const { 0: opening, 1: name = "", index: start } of search.text.matchAll(reactCall).take(mostCalls)) {
    yield { start, read: () => readReactCall(search, { name, start, body: start + opening.length }) };
  }
}

function readReactCall(
  { text, findValue, findInvention, findThoughtEnding }: Search,
  { name, start, body }: { name: string; start: number; body: number },
): CallBlock {
  const span = findValue(body);
  const isNext = span !== null && text[span.start] === "{" && beforeInput.test(text.slice(body, span.start));
  const end = isNext ? span.end : Math.min(findInvention(body), findThoughtEnding(body));
  const written = text.slice(isNext ? span.start : body, end).trim();
  return { start, end, calls: [{ id: "", name, arguments: written }] };
}

/** A reply that consists of one JSON object, or one list of calls in Python. */
function* findBare({ text, tools, findValue }: Search): Iterable<CallOpening> {
  yield* findPythonList(text, tools);
  if (!text.trimStart().startsWith("{")) return;
  const read = () => {
    const span = findValue(0);
    const call = span && toWrittenCall(parseActionText(text.slice(span.start, span.end)));
    return span && call && isKnownTool(call, tools) ? { start: 0, end: span.end, calls: [call] } : null;
  };
  yield { start: 0, read };
}

function* findPythonList(text: string, tools: KnownTools): Iterable<CallOpening> {
  const calls = text.trimStart().startsWith("[") ? readPythonList(text, tools) : [];
  if (calls.length > 0) yield { start: 0, read: () => ({ start: 0, end: text.length, calls }) };
}

function isKnownTool({ name }: ToolCall, tools: KnownTools): boolean {
  return tools.has(matchToolName(name, (known) => tools.has(known)));
}

/** In order, skipping candidates inside an earlier call or inside a thought. */
function readCalls(text: string, found: readonly CallOpening[]): readonly CallBlock[] {
  const thoughts = findThoughts(text);
  const blocks: CallBlock[] = [];
  let readUntil = 0;
  for (const { start, read } of found.toSorted((left, right) => left.start - right.start)) {
    const block = start < readUntil ? null : read();
    if (!block) continue;
    readUntil = block.end;
    const isThought = thoughts.some((thought) => thought.start <= start && block.end <= thought.end);
    if (!isThought) blocks.push(block);
  }
  return blocks;
}

/** Only closed thoughts: a model that never closes one may have forgotten to. */
function findThoughts(text: string): readonly TextSpan[] {
  const thoughts: TextSpan[] = [];
  // The template of some models puts the first tag into the prompt.
  let open: number | null = 0;
  let isFirst = true;
  for (const { index, 1: closing } of text.matchAll(thoughtTag)) {
    if (closing === "") open = isFirst ? index : (open ?? index);
    else if (open !== null) {
      thoughts.push({ start: open, end: index });
      open = null;
    }
    isFirst = false;
  }
  return thoughts;
}

/** A result can only be invented after a call; before it, the same text is part of the answer. */
function beforeInventions({ findInvention }: Search, blocks: readonly CallBlock[]): readonly CallBlock[] {
  const [first] = blocks;
  const invented = first ? findInvention(first.end) : 0;
  return blocks.filter(({ start }) => start <= invented);
}

function parseActionText(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return null;
  }
}

/** `{"tool": …, "args": …}` under any of the names models use. Null when it names no tool. */
function toWrittenCall(value: unknown): ToolCall | null {
  if (!isRecord(value)) return null;
  const inner = isRecord(value["function"]) ? value["function"] : value;
  const name = inner["tool"] ?? inner["name"] ?? inner["action"] ?? inner["function"];
  const args =
    inner["args"] ?? inner["arguments"] ?? inner["parameters"] ?? inner["input"] ?? inner["action_input"] ?? {};
  if (typeof name !== "string") return null;
  return { id: "", name, arguments: typeof args === "string" ? args : JSON.stringify(args) };
}

/** A call that is not JSON, such as Python's `{'tool': …}`. It keeps its name, for the repair. */
function toBrokenCall(raw: string): ToolCall {
  const name = /["'](?:tool|name|action|function)["']\s*:\s*(?:"([^"]+)"|'([^']+)')/.exec(raw);
  const args = /["'](?:args|arguments|parameters|input|action_input)["']\s*:\s*/.exec(raw);
  return {
    id: "",
    name: name?.[1] ?? name?.[2] ?? "",
    arguments: args ? raw.slice(args.index + args[0].length) : raw,
  };
}
