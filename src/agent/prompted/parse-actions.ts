import { createValueFinder, placesOf, type FindPlace, type FindValue, type TextSpan } from "../../base/json-text.ts";
import { isRecord } from "../../base/json.ts";
import type { ToolCall } from "../../contract/ports/chat-model.ts";
import { toMeantName } from "../meant-name.ts";
import { readPythonCalls, readPythonList } from "./python-call.ts";
import { findTrainedCalls, type CallBlock, type CallOpening, type KnownTools } from "./trained-calls.ts";

/** What a model wrote, taken apart: the text for the reader, and the tools it asks for. */
export interface ParsedReply {
  readonly text: string;
  readonly tool_calls: readonly ToolCall[];
}

interface Opening {
  readonly pattern: RegExp;
  readonly explicit: boolean;
}

/** How calls are written. Only the first is what we ask for; models fall back on what they were trained with. */
const trainedOpenings: readonly Opening[] = [
  { pattern: /<(?:tool_call|function_call|action)>/gi, explicit: true },
  { pattern: /(?:\[TOOL_CALLS\]|<\|(?:python_tag|tool_call)\|>)\s*(?=[[{\w])/gi, explicit: true },
];
const openings: readonly Opening[] = [
  { pattern: /```[ \t]*(?:tool_call|tool_code|action|tool)\b[^\n{[]*\n?/gi, explicit: true },
  ...trainedOpenings,
  { pattern: /```[ \t]*(?:json[ \t]*)?\r?\n(?=\s*[{[])/gi, explicit: false },
];
/** Blocks that can be nothing but calls: what cannot be read in them is handed back to the model. */
const onlyCalls = /tool_call|function_call/i;
/** A block that was begun in a thought ends with it. */
const blockEnding = /```|<\/(?:tool_call|function_call|action|think(?:ing)?)>/gi;
/** What may stand between the words and the arguments: some models put these into a block of their own. */
const beforeInput = /^\s*(?:```(?:json)?\s*)?$/i;
const reactCall = /(?:^|\n)[ \t]*Action:[ \t]*`?([\w.-]+)`?[ \t]*\r?\n[ \t]*Action Input:[ \t]*/gi;
/** Where a model begins to make up what a tool answers. */
const inventedResult = /\n[ \t]*(?:Observation:|Results? of |<untrusted_tool_output)/gi;
const thoughtTag = /<(\/?)think(?:ing)?>/gi;
const thoughtEnding = /<\/think(?:ing)?>/gi;

/** Bounds on the search: a model's text can be as long and as odd as it likes. */
const searchedCharacters = 256 * 1024;
const mostCalls = 64;

/**
 * Reads tool calls out of plain text. Blocks marked as calls are taken whatever they hold, so that the loop can have
 * them repaired; bare JSON counts only when it names a known tool, since an answer may hold JSON of its own. What a model
 * only thought of calling is no call, and nor is what follows a result it made up.
 */
export function parseActions(reply: string, tools: KnownTools): ParsedReply {
  const text = reply.slice(0, searchedCharacters);
  const search = createSearch(text, tools);
  // Of two that begin at the same place the first counts.
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
 * Reads calls that a server which has tools left in the text, since it does not know how its model writes them. Only calls in the
 * model's own words count, of tools that were offered, at the end of a reply: anything else may be about calls. Null: there are none.
 */
export function parseLeftCalls(text: string, tools: KnownTools): ParsedReply | null {
  if (text.length > searchedCharacters || !/^\s*\[|<|\[TOOL_CALLS\]/.test(text)) return null;
  const search = createSearch(text, tools);
  const blocks = readCalls(text, [
    ...findTrainedCalls(text, search),
    ...findBlocks(search, trainedOpenings),
    ...findPythonList(text, tools),
  ]);
  const [first] = blocks;
  const tool_calls = blocks.flatMap(({ calls }) => calls);
  if (!first || !tool_calls.every((call) => isKnown(call, tools))) return null;
  const before = text.slice(0, first.start);
  const after = text.slice(blocks.at(-1)?.end);
  const isQuoted = before.split("```").length % 2 === 0;
  if (isQuoted || !onlyEndings.test(after)) return null;
  return { text: before.trimEnd(), tool_calls };
}

/** What may follow the last call: what closes it, and the marks of the end. */
const onlyEndings = /^\s*(?:(?:<\/\w+>|<[|｜][^<>\s]{1,40}[|｜]>)\s*)*$/;

/** One text and what was found out about it. Each is found out once: it is asked for at every place a call may begin. */
interface Search {
  readonly text: string;
  readonly tools: KnownTools;
  readonly findValue: FindValue;
  readonly findEnding: FindPlace;
  readonly findInvention: FindPlace;
  readonly findThoughtEnding: FindPlace;
}

function createSearch(text: string, tools: KnownTools): Search {
  return {
    text,
    tools,
    findValue: createValueFinder(text),
    findEnding: placesOf(blockEnding, text),
    findInvention: placesOf(inventedResult, text),
    findThoughtEnding: placesOf(thoughtEnding, text),
  };
}

function* findBlocks(search: Search, allowed: readonly Opening[]): Iterable<CallOpening> {
  for (const { pattern, explicit } of allowed) {
    // Where nothing names a tool, nothing does from its middle on.
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
  const calls = values.flatMap((value) => toCall(value) ?? []).filter((call) => explicit || isKnown(call, tools));
  const python = explicit && calls.length === 0 ? readPythonCalls(rest, tools) : [];
  calls.push(...python);
  const broken = explicit && rest !== "" && python.length === 0 ? toBrokenCall(rest) : null;
  if (broken && (broken.name !== "" || (calls.length === 0 && onlyCalls.test(opening)))) calls.push(broken);
  return { end, calls };
}

/** The JSON values of a block, one after the other or in lists, and what is left of it that cannot be read. */
function readValues(search: Search, body: number): { values: readonly unknown[]; rest: string; end: number } {
  const { text, findValue } = search;
  const values: unknown[] = [];
  let at = body;
  for (;;) {
    const end = endOfBlock(search, at);
    const span = findValue(at);
    const value =
      span && span.start < end && values.length < mostCalls ? parse(text.slice(span.start, span.end)) : null;
    if (!span || !value) return { values, rest: text.slice(at, end).trim(), end };
    // A list of calls counts as its calls.
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

/** A reply that is one JSON object, or one list of calls in Python, and nothing else. */
function* findBare({ text, tools, findValue }: Search): Iterable<CallOpening> {
  yield* findPythonList(text, tools);
  if (!text.trimStart().startsWith("{")) return;
  const read = () => {
    const span = findValue(0);
    const call = span && toCall(parse(text.slice(span.start, span.end)));
    return span && call && isKnown(call, tools) ? { start: 0, end: span.end, calls: [call] } : null;
  };
  yield { start: 0, read };
}

function* findPythonList(text: string, tools: KnownTools): Iterable<CallOpening> {
  const calls = text.trimStart().startsWith("[") ? readPythonList(text, tools) : [];
  if (calls.length > 0) yield { start: 0, read: () => ({ start: 0, end: text.length, calls }) };
}

function isKnown({ name }: ToolCall, tools: KnownTools): boolean {
  return tools.has(toMeantName(name, (known) => tools.has(known)));
}

/** In their order, each read only when none before it reaches so far, and none that was only thought of. */
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

/** Only closed ones: a model that never closes them may have forgotten that it thinks. */
function findThoughts(text: string): readonly TextSpan[] {
  const thoughts: TextSpan[] = [];
  // The template of some models has written the first tag into the prompt.
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

/** A result can only be made up after a call; before it, the same words are part of the answer. */
function beforeInventions({ findInvention }: Search, blocks: readonly CallBlock[]): readonly CallBlock[] {
  const [first] = blocks;
  const invented = first ? findInvention(first.end) : 0;
  return blocks.filter(({ start }) => start <= invented);
}

function parse(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return null;
  }
}

/** `{"tool": …, "args": …}` under any of the names models use. Null: it names no tool. */
function toCall(value: unknown): ToolCall | null {
  if (!isRecord(value)) return null;
  const inner = isRecord(value["function"]) ? value["function"] : value;
  const name = inner["tool"] ?? inner["name"] ?? inner["action"] ?? inner["function"];
  const args =
    inner["args"] ?? inner["arguments"] ?? inner["parameters"] ?? inner["input"] ?? inner["action_input"] ?? {};
  if (typeof name !== "string") return null;
  return { id: "", name, arguments: typeof args === "string" ? args : JSON.stringify(args) };
}

/** A call that is no JSON, such as Python's `{'tool': …}`. It keeps what it says of its name, for the repair. */
function toBrokenCall(raw: string): ToolCall {
  const name = /["'](?:tool|name|action|function)["']\s*:\s*(?:"([^"]+)"|'([^']+)')/.exec(raw);
  const args = /["'](?:args|arguments|parameters|input|action_input)["']\s*:\s*/.exec(raw);
  return {
    id: "",
    name: name?.[1] ?? name?.[2] ?? "",
    arguments: args ? raw.slice(args.index + args[0].length) : raw,
  };
}
