import type { FindPlace, FindValue } from "../../base/json-text.ts";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { ToolCall } from "../../contract/ports/chat-model.ts";
import { atReference } from "../schema-reference.ts";

/** A part of the text that holds calls. */
export interface CallBlock {
  readonly start: number;
  readonly end: number;
  readonly calls: readonly ToolCall[];
}

/** A place where calls may begin. They are read when it is known that nothing before them holds it. */
export interface CallOpening {
  readonly start: number;
  /** Null: it holds no calls. */
  readonly read: () => CallBlock | null;
}

/** The tools a call may name, each with the schema of its arguments where that is known. */
export type KnownTools = ReadonlyMap<string, Readonly<Record<string, unknown>> | null>;

/**
 * How models were trained to name the tool in front of its arguments, which are JSON: Mistral, DeepSeek, harmony, Kimi, Llama.
 * What opens a list of calls belongs to the first of them.
 */
const jsonForms = [
  /\[TOOL_CALLS\]\s*([\w.-]+)\s*(?:\[CALL_ID\]\s*[\w-]+\s*)?(?:\[ARGS\]\s*)?(?=\{)/g,
  /(?:<｜tool▁calls▁begin｜>\s*)?<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?([\w.-]+)\s*(?:<｜tool▁sep｜>\s*)?(?:```json\s*)?(?=\{)/g,
  /(?:<\|start\|>assistant\s*)?(?:<\|channel\|>)?(?:(?:commentary|analysis)\s+)?to=functions\.([\w-]+)[^{}\n]{0,80}(?=\{)/g,
  /(?:<\|tool_calls_section_begin\|>\s*)?<\|tool_call_begin\|>\s*(?:functions\.)?([\w-]+)(?::\d+)?\s*<\|tool_call_argument_begin\|>\s*(?=\{)/g,
  /(?:<tool_call>\s*)?<function=([\w.-]+)>\s*(?=\{)/g,
];

/**
 * And how they write each argument between tags of its own: Qwen, GLM, Claude, DeepSeek. No value goes on past the next
 * argument: one that never ends would be searched to the end of the text again and again.
 */
const taggedForms = [
  {
    call: /(?:<tool_call>\s*)?<function=([\w.-]+)>\s*(?=<(?:parameter=|\/function>))/g,
    ending: /<\/function>(?:\s*<\/tool_call>)?/g,
    argument: /<parameter=([^<>\s]+)>\n?((?:(?!<parameter=)[\s\S])*?)\n?<\/parameter>/g,
  },
  {
    call: /<tool_call>\s*([\w.-]+)\s*(?=<(?:arg_key>|\/tool_call>))/g,
    ending: /<\/tool_call>/g,
    argument: /<arg_key>\s*([^<>\s]+)\s*<\/arg_key>\s*<arg_value>((?:(?!<arg_value>)[\s\S])*?)<\/arg_value>/g,
  },
  {
    call: /(?:<(?:｜DSML｜)?(?:function_calls|tool_calls)>\s*)?<(?:｜DSML｜)?invoke name="([\w.-]+)">/g,
    ending: /<\/(?:｜DSML｜)?invoke>(?:\s*<\/(?:｜DSML｜)?(?:function_calls|tool_calls)>)?/g,
    argument:
      /<(?:｜DSML｜)?parameter name="([^"]+)"[^<>]{0,40}>((?:(?!<(?:｜DSML｜)?parameter )[\s\S])*?)<\/(?:｜DSML｜)?parameter>/g,
  },
];

const mostCalls = 64;

interface TrainedSearch {
  readonly tools: KnownTools;
  readonly findValue: FindValue;
  /** A call that never ends does so with the thought it was begun in. */
  readonly findThoughtEnding: FindPlace;
}

/** Calls in the words a model was trained on. They cannot be anything else, so they are taken whatever they name. */
export function* findTrainedCalls(text: string, search: TrainedSearch): Iterable<CallOpening> {
  for (const pattern of jsonForms) {
    for (const { 0: opening, 1: name = "", index: start } of text.matchAll(pattern).take(mostCalls)) {
      const body = start + opening.length;
      const read = () => {
        const valueEnd = search.findValue(body)?.end ?? search.findThoughtEnding(body);
        // DeepSeek's arguments stand in a block, which ends with them.
        const end = opening.includes(fence) ? afterFence(text, valueEnd) : valueEnd;
        return { start, end, calls: [{ id: "", name, arguments: text.slice(body, valueEnd) }] };
      };
      yield { start, read };
    }
  }
  for (const form of taggedForms) {
    for (const { 0: opening, 1: name = "", index: start } of text.matchAll(form.call).take(mostCalls)) {
      yield {
        start,
        read: () => readTaggedCall(text, { ...form, ...search, name, start, body: start + opening.length }),
      };
    }
  }
}

const fence = "```";

function afterFence(text: string, from: number): number {
  const closing = new RegExp(`\\s*${fence}`, "y");
  closing.lastIndex = from;
  return closing.test(text) ? closing.lastIndex : from;
}

interface TaggedCall extends TrainedSearch {
  readonly ending: RegExp;
  readonly argument: RegExp;
  readonly name: string;
  readonly start: number;
  /** Where its arguments begin. */
  readonly body: number;
}

function readTaggedCall(text: string, call: TaggedCall): CallBlock {
  const { ending, argument, tools, findThoughtEnding, name, start, body } = call;
  ending.lastIndex = body;
  const closed = ending.exec(text);
  const bodyEnd = closed?.index ?? findThoughtEnding(body);
  const schema = tools.get(name) ?? null;
  const args = Object.fromEntries(
    Array.from(text.slice(body, bodyEnd).matchAll(argument), ({ 1: key = "", 2: written = "" }) => [
      key,
      toTaggedValue(written, { key, schema }),
    ]),
  );
  const end = bodyEnd + (closed?.[0].length ?? 0);
  return { start, end, calls: [{ id: "", name, arguments: JSON.stringify(args) }] };
}

/**
 * What stands between tags, where a text and a number look the same: the schema of the arguments says which it is. An optional text
 * is mostly declared as one of two, a text or null.
 */
function toTaggedValue(written: string, { key, schema }: { key: string; schema: JsonRecord | null }): unknown {
  const properties = isRecord(schema?.["properties"]) ? schema["properties"] : {};
  const types = typesOf(Object.hasOwn(properties, key) ? properties[key] : null, schema);
  if (types.has("null") && written.trim() === "null") return null;
  return types.has("string") ? written : toValue(written);
}

/** Parts of a schema that are looked at. It comes from others, and a reply may hold thousands of values. */
const mostParts = 100;

/** Each part once, however often it is referred to: a schema may contain itself. */
function typesOf(property: unknown, root: JsonRecord | null): ReadonlySet<unknown> {
  const parts = new Set([property]);
  const types = new Set<unknown>();
  for (const part of parts) {
    if (parts.size > mostParts) break;
    if (!isRecord(part)) continue;
    for (const type of [part["type"]].flat()) types.add(type);
    for (const value of listIn(part, "enum")) types.add(typeof value);
    for (const other of alternatives.flatMap((name) => listIn(part, name))) parts.add(other);
    if (typeof part["$ref"] === "string") parts.add(atReference(root, part["$ref"]));
  }
  return types;
}

const alternatives = ["anyOf", "oneOf", "allOf"];

function listIn(part: JsonRecord, name: string): readonly unknown[] {
  const list = part[name];
  return Array.isArray(list) ? list.slice(0, mostParts) : [];
}

function toValue(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return written;
  }
}
