import type { FindOffset, FindValue } from "../../base/json-text.ts";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { ToolCall } from "../../contract/ports/chat-model.ts";
import { atReference } from "../tools/tool-schema.ts";

/** A part of the text with calls. */
export interface CallBlock {
  readonly start: number;
  readonly end: number;
  readonly calls: readonly ToolCall[];
}

/** A position where calls may begin. They are read only if no earlier call contains the position. */
export interface CallOpening {
  readonly start: number;
  /** Null when there are no calls. */
  readonly read: () => CallBlock | null;
}

/** The tools a call may name, each with the schema of its arguments if known. */
export type KnownTools = ReadonlyMap<string, Readonly<Record<string, unknown>> | null>;

/**
 * Notations with the name of the tool before its JSON arguments: Mistral, DeepSeek, harmony, Kimi, Llama. The opening of a list of
 * calls belongs to its first call.
 */
const jsonForms = [
  /\[TOOL_CALLS\]\s*([\w.-]+)\s*(?:\[CALL_ID\]\s*[\w-]+\s*)?(?:\[ARGS\]\s*)?(?=\{)/g,
  /(?:<｜tool▁calls▁begin｜>\s*)?<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?([\w.-]+)\s*(?:<｜tool▁sep｜>\s*)?(?:```json\s*)?(?=\{)/g,
  /(?:<\|start\|>assistant\s*)?(?:<\|channel\|>)?(?:(?:commentary|analysis)\s+)?to=functions\.([\w-]+)[^{}\n]{0,80}(?=\{)/g,
  /(?:<\|tool_calls_section_begin\|>\s*)?<\|tool_call_begin\|>\s*(?:functions\.)?([\w-]+)(?::\d+)?\s*<\|tool_call_argument_begin\|>\s*(?=\{)/g,
  /(?:<tool_call>\s*)?<function=([\w.-]+)>\s*(?=\{)/g,
];

/**
 * Notations with each argument between its own tags: Qwen, GLM, Claude, DeepSeek. A value ends at the next argument at the latest:
 * otherwise an endless one would be searched to the end of the text again and again.
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
  /** An unclosed call ends with the thought it began in. */
  readonly findThoughtEnding: FindOffset;
}

/** Calls in the notation of a model. They cannot be anything else, so they are taken whatever they name. */
export function* findTrainedCalls(text: string, search: TrainedSearch): Iterable<CallOpening> {
  for (const pattern of jsonForms) {
    for (const { 0: opening, 1: name = "", index: start } of text.matchAll(pattern).take(mostCalls)) {
      const body = start + opening.length;
      const read = () => {
        const valueEnd = search.findValue(body)?.end ?? search.findThoughtEnding(body);
        // DeepSeek puts the arguments into a block, which ends with them.
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
  /** The position of its arguments. */
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
 * The value between tags, where a text and a number look the same: the schema of the arguments decides. An optional text is usually
 * declared as a text or null.
 */
function toTaggedValue(written: string, { key, schema }: { key: string; schema: JsonRecord | null }): unknown {
  const properties = isRecord(schema?.["properties"]) ? schema["properties"] : {};
  const types = typesOf(Object.hasOwn(properties, key) ? properties[key] : null, schema);
  if (types.has("null") && written.trim() === "null") return null;
  return types.has("string") ? written : toTrainedValue(written);
}

/** Limit of visited schema parts: the schema is foreign, and a reply may have thousands of values. */
const mostParts = 100;

/** Visits each part once, because a schema may contain itself. */
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

function toTrainedValue(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return written;
  }
}
