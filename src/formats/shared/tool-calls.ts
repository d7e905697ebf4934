import { isRecord, type JsonRecord } from "../../base/json.ts";
import { truncateText } from "../../base/text.ts";
import { ToolName, type ReferenceToolCall } from "../../contract/schemas/acting/tool-call.ts";
import type { World } from "../../contract/schemas/acting/world.ts";
import { parseExactJson, parseIfJson } from "../documents/exact-json.ts";
import { anyField, field, listField, recordField, scalarText, textField } from "../documents/records.ts";
import type { SourceLocation } from "../documents/format-error.ts";

/** A tool call in a file, with its outcome as far as the file says it. */
export interface ImportedToolCall {
  readonly id?: string | undefined;
  readonly name: string;
  /** Undefined if the file names only the tool; the text itself if it is not valid JSON. */
  readonly arguments: unknown;
  readonly argumentsError?: string;
  readonly result?: unknown;
  readonly error?: string;
}

/** The outcome of a call, in a message or a content part of its own. */
export interface ImportedToolResult {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly result?: unknown;
  readonly error?: string;
}

/** A tool that a file declares. */
export interface ImportedTool {
  readonly name: string;
  readonly description: string;
  /** Undefined if the file has no schema of the arguments. */
  readonly parameters: JsonRecord | undefined;
}

type CallNote = (
  kind: "dropped" | "changed" | "kept",
  place: SourceLocation,
  message: string,
  subject?: string,
) => void;

/** Objects that hold a call under a single field: Gemini, Bedrock, OpenTelemetry. */
const callHolders = ["functionCall", "function_call", "toolUse", "tool_call", "toolCall"];
/** `id` comes last: in a result of LangChain, Inspect or the Responses API it is the message's own. */
const callIds = ["call_id", "tool_call_id", "toolCallId", "toolUseId", "tool_use_id", "id"];
const argumentNames = [
  "arguments",
  "args",
  "input",
  "input_parameters",
  "inputParameters",
  "tool_input",
  "toolInput",
  "kwargs",
  "parameters",
];

/**
 * Reads a call in the forms of OpenAI, Anthropic, Gemini, Bedrock, the AI SDK, LangChain, Inspect, DeepEval, ADK and OpenTelemetry;
 * undefined for anything else. A bare text is the name of a tool.
 */
export function readToolCall(value: unknown): ImportedToolCall | undefined {
  if (typeof value === "string") return value === "" ? undefined : { name: value, arguments: undefined };
  if (!isRecord(value)) return undefined;
  const holder = callHolders.find((name) => isRecord(value[name]));
  if (holder !== undefined) {
    const inner = readToolCall(value[holder]);
    return inner && { ...inner, id: inner.id ?? idOf(value) };
  }
  const inner = recordField(value, "function");
  const source = inner ?? value;
  const name = inner
    ? textField(inner, "name")
    : textField(value, "name", "toolName", "tool_name", "function", "tool", "method");
  if (name === undefined || name === "") return undefined;
  const given = anyField(source, ...argumentNames);
  const outcome = anyField(value, "output", "result", "response");
  const error = errorText(field(value, "error"));
  return {
    id: idOf(value),
    name,
    ...readArguments(given),
    ...(error === undefined && outcome !== undefined && { result: parseIfJson(outcome) }),
    ...(error !== undefined && { error }),
  };
}

export function readToolCalls(value: unknown): ImportedToolCall[] {
  const entries: unknown[] = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  return entries.flatMap((entry) => readToolCall(entry) ?? []);
}

const idOf = (value: JsonRecord): string | undefined => scalarText(anyField(value, ...callIds));

/** Arguments are an object or its JSON text; an empty text means none. */
function readArguments(given: unknown): Pick<ImportedToolCall, "arguments" | "argumentsError"> {
  if (typeof given !== "string") return { arguments: given };
  if (given.trim() === "") return { arguments: {} };
  try {
    const value = parseExactJson(given);
    // Some tools encode the arguments as JSON twice.
    return typeof value === "string" && value.trimStart().startsWith("{") ? readArguments(value) : { arguments: value };
  } catch {
    return { arguments: given, argumentsError: "not valid JSON" };
  }
}

const resultHolders = ["functionResponse", "function_response", "toolResult", "tool_result"];

/** Reads the outcome of a call from a tool message or a content part. */
export function readToolResult(value: unknown, content?: unknown): ImportedToolResult {
  if (!isRecord(value)) return { result: parseIfJson(value) };
  const holder = resultHolders.find((name) => isRecord(value[name]));
  if (holder !== undefined) return readToolResult(value[holder]);
  const given = content ?? anyField(value, "output", "response", "result", "content", "value", "text");
  const { isError, result } = unwrapResult(given);
  const failure = errorText(field(value, "error"));
  const failed = isError || value["is_error"] === true || value["isError"] === true || value["status"] === "error";
  const about = {
    id: idOf(value),
    name: textField(value, "name", "toolName", "tool_name") ?? textField(value, "function"),
  };
  if (failure !== undefined) return { ...about, error: failure };
  return failed
    ? { ...about, error: scalarText(result) ?? JSON.stringify(result ?? "The call failed.") }
    : { ...about, result: result ?? null };
}

/** A result may be text, JSON, content parts, or the AI SDK's `{type, value}`. */
function unwrapResult(given: unknown): { isError: boolean; result: unknown } {
  const type = textField(given, "type");
  if (isRecord(given) && type !== undefined && "value" in given && /^(?:error-)?(?:text|json)$/.test(type))
    return { isError: type.startsWith("error"), result: given["value"] };
  if (Array.isArray(given) && given.length > 0 && given.every((part) => isResultPart(part))) {
    const parts = given.map((part) => field(part, "json") ?? parseIfJson(textField(part, "text", "content")));
    return { isError: false, result: parts.length === 1 ? parts[0] : parts.map(toText).join("\n") };
  }
  return { isError: false, result: parseIfJson(given) };
}

const isResultPart = (part: unknown): boolean =>
  isRecord(part) && ("json" in part || typeof anyField(part, "text", "content") === "string");

const toText = (value: unknown): string => scalarText(value) ?? JSON.stringify(value);

function errorText(error: unknown): string | undefined {
  if (error === undefined || error === null || error === false || error === "") return undefined;
  return scalarText(error) ?? textField(error, "message", "detail") ?? JSON.stringify(error);
}

/** Adds results to calls: by id, otherwise to the first call without a result, of the same name if one is known. */
export function joinResults(
  calls: readonly ImportedToolCall[],
  results: readonly ImportedToolResult[],
): { calls: ImportedToolCall[]; unmatched: number } {
  const joined = [...calls];
  let unmatched = 0;
  const isOpen = (call: ImportedToolCall): boolean => call.result === undefined && call.error === undefined;
  for (const { id, name, ...outcome } of results) {
    const byId = id === undefined ? -1 : joined.findIndex((call) => call.id === id && isOpen(call));
    const index =
      byId >= 0
        ? byId
        : joined.findIndex(
            (call) =>
              isOpen(call) && (id === undefined || call.id === undefined) && (name === undefined || call.name === name),
          );
    const call = joined[index];
    if (call) joined[index] = { ...call, ...outcome };
    else unmatched++;
  }
  return { calls: joined, unmatched };
}

const mostExpected = 100;

/** Converts calls to `reference_tool_calls`; values that look like matchers are compared as they are. */
export function toReferenceCalls(
  calls: readonly ImportedToolCall[],
  { place, note }: { place: SourceLocation; note: CallNote },
): ReferenceToolCall[] {
  const references = calls.flatMap((call): ReferenceToolCall[] => {
    if (!ToolName.safeParse(call.name).success) {
      note("dropped", place, `a call of a tool with the unusable name ${JSON.stringify(truncateText(call.name, 80))}`);
      return [];
    }
    const given = call.arguments;
    if (given === undefined || given === null) return [{ name: call.name }];
    if (!isRecord(given)) {
      note("changed", place, `the arguments of a call of ${call.name} are no JSON object; any arguments are accepted`);
      return [{ name: call.name }];
    }
    const values = Object.entries(given).map(([name, value]) => [name, toLiteral(value)]);
    return [{ name: call.name, arguments: Object.fromEntries(values) as ReferenceToolCall["arguments"] & {} }];
  });
  if (references.length <= mostExpected) return references;
  note("dropped", place, `calls beyond the ${mostExpected} that a turn may expect`);
  return references.slice(0, mostExpected);
}

const matchers: ReadonlySet<string> = new Set([
  "$any",
  "$one_of",
  "$regex",
  "$text",
  "$number",
  "$contains",
  "$schema",
  "$absent",
  "$literal",
]);

/** A value that is compared by itself, even where it has the form of a matcher, as database queries do. */
function toLiteral(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toLiteral);
  if (!isRecord(value)) return value;
  if (Object.keys(value).some((key) => matchers.has(key))) return { $literal: value };
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toLiteral(inner)]));
}

/** Expected arguments as the values that they are compared with; undefined if they contain matchers, which other tools do not have. */
export function plainArguments(expected: ReferenceToolCall["arguments"]): JsonRecord | undefined {
  const missing = Symbol("matcher");
  const toPlain = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      const entries = value.map(toPlain);
      return entries.includes(missing) ? missing : entries;
    }
    if (!isRecord(value)) return value;
    if ("$literal" in value && Object.keys(value).length === 1) return value["$literal"];
    if (Object.keys(value).some((key) => matchers.has(key))) return missing;
    const entries = Object.entries(value).map(([key, inner]) => [key, toPlain(inner)] as const);
    return entries.some(([, inner]) => inner === missing) ? missing : Object.fromEntries(entries);
  };
  const entries = Object.entries(expected ?? {}).map(([name, value]) => [name, toPlain(value)] as const);
  return expected === undefined || entries.some(([, value]) => value === missing)
    ? undefined
    : Object.fromEntries(entries);
}

/** Reads declared tools: OpenAI, Anthropic, Gemini, Bedrock, MCP, BFCL, or their JSON text. */
export function readTools(value: unknown): ImportedTool[] {
  const parsed = parseIfJson(value);
  const entries: unknown[] = Array.isArray(parsed) ? parsed : isRecord(parsed) ? [parsed] : [];
  return entries.flatMap((entry): ImportedTool[] => {
    const item = parseIfJson(entry);
    const several = listField(item, "functionDeclarations", "function_declarations", "tools");
    if (several) return readTools(several);
    const tool = recordField(item, "function", "toolSpec", "tool") ?? item;
    const name = textField(tool, "name");
    if (name === undefined) return [];
    const type = textField(item, "type") ?? "function";
    const input = anyField(tool, "parameters", "input_schema", "inputSchema", "parameters_json_schema");
    const schema = recordField(input, "json", "jsonSchema") ?? input;
    // Tools that a provider runs itself, such as a search, have a type of their own and no schema.
    if (!isRecord(schema) && !["function", "custom", "tool"].includes(type)) return [];
    return [
      {
        name,
        description: textField(tool, "description") ?? "",
        parameters: isRecord(schema) ? (toJsonSchema(schema) as JsonRecord) : undefined,
      },
    ];
  });
}

const otherTypes: Readonly<Record<string, string>> = {
  dict: "object",
  hashmap: "object",
  float: "number",
  double: "number",
  int: "integer",
  long: "integer",
  short: "integer",
  byte: "integer",
  bigint: "integer",
  tuple: "array",
  list: "array",
  arraylist: "array",
  set: "array",
  queue: "array",
  stack: "array",
  str: "string",
  char: "string",
  bool: "boolean",
};
const jsonTypes = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

/** Replaces types of programming languages, as BFCL and Gemini write them, by those of JSON Schema. */
function toJsonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toJsonSchema);
  if (!isRecord(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
      if (key !== "type" || typeof value !== "string" || jsonTypes.has(value)) return [[key, toJsonSchema(value)]];
      const type = otherTypes[value.toLowerCase()] ?? value.toLowerCase();
      return jsonTypes.has(type) ? [[key, type]] : [];
    }),
  );
}

const mostTools = 128;
const mostRecorded = 10_000;
const longestDescription = 10_000;

interface WorldSource {
  readonly tools: readonly ImportedTool[];
  readonly calls: readonly ImportedToolCall[];
  readonly place: SourceLocation;
  readonly note: CallNote;
}

/**
 * Makes a world of the tools and the known results of their calls. Without results, the tools answer that the call succeeded, so that
 * a model can still be given them. Undefined if the file declares no tools and knows no results.
 */
export function toWorld({ tools: declared, calls, place, note }: WorldSource): World | undefined {
  const recorded = calls.filter(
    (call) => (call.result !== undefined || call.error !== undefined) && ToolName.safeParse(call.name).success,
  );
  if (declared.length === 0 && recorded.length === 0) return undefined;
  const byName = new Map(declared.map((tool) => [tool.name, tool]));
  for (const { name } of calls)
    if (!byName.has(name)) byName.set(name, { name, description: "", parameters: undefined });
  const usable = [...byName.values()].filter(({ name }) => ToolName.safeParse(name).success);
  const called = new Set(calls.map(({ name }) => name));
  const kept = usable.toSorted((left, right) => Number(called.has(right.name)) - Number(called.has(left.name)));
  const named = byName.size - Math.min(kept.length, mostTools);
  if (named > 0)
    note("dropped", place, `${named} of the tools: a world has at most ${mostTools}, with names of letters and digits`);
  if (recorded.length > mostRecorded) note("dropped", place, `recorded calls beyond ${mostRecorded}`);
  if (recorded.length === 0)
    note("changed", place, "the results of the tools are unknown: in the world, every call answers { ok: true }");
  return {
    tools: kept.slice(0, mostTools).map(({ name, description, parameters }) => ({
      name,
      description: truncateText(description, longestDescription),
      parameters: parametersOf(
        parameters,
        calls.filter((call) => call.name === name),
      ) as World["tools"][number]["parameters"],
      ...(recorded.length === 0 && { answers: [{}] }),
    })),
    ...(recorded.length > 0 && { recorded: recorded.slice(0, mostRecorded).map(toRecorded) }),
  };
}

function toRecorded(call: ImportedToolCall): NonNullable<World["recorded"]>[number] {
  const { name, arguments: given, result, error } = call;
  return {
    name,
    arguments: (given ?? {}) as NonNullable<World["recorded"]>[number]["arguments"],
    ...(error === undefined ? { result: result as never } : { error }),
  };
}

/** The declared schema, or one that accepts the arguments of the calls. */
function parametersOf(parameters: JsonRecord | undefined, calls: readonly ImportedToolCall[]): JsonRecord {
  if (parameters) return parameters["type"] === "object" ? parameters : { ...parameters, type: "object" };
  const types = new Map<string, Set<string>>();
  for (const { arguments: given } of calls) {
    for (const [name, value] of Object.entries(isRecord(given) ? given : {}))
      types.set(name, (types.get(name) ?? new Set()).add(typeOf(value)));
  }
  const properties = Object.fromEntries(
    Array.from(types, ([name, [first, ...others]]) => [name, others.length === 0 ? { type: first } : {}]),
  );
  return { type: "object", ...(types.size > 0 && { properties }) };
}

const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value === "number" ? "number" : typeof value;
