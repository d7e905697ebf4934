import { compact } from "../../../base/compact.ts";
import { isRecord, type JsonRecord } from "../../../base/json.ts";
import { parseIfJson } from "../../documents/exact-json.ts";
import {
  anyField,
  field,
  listField,
  locationBelow,
  recordField,
  scalarText,
  textField,
} from "../../documents/records.ts";
import type { SourceLocation } from "../../documents/format-error.ts";
import { readMessage } from "../../shared/read-messages.ts";
import { readToolCall, type ImportedToolCall } from "../../shared/tool-calls.ts";
import { parsePythonLiteral } from "../../documents/python-literal.ts";
import { defineFormat, type Importer } from "../../shared/define-format.ts";
import type { Item } from "../../shared/items.ts";
import { agentRunSpans, isAgentRun } from "./agent-runs.ts";
import { addTraces } from "./conversations.ts";
import type { Span } from "../../shared/imported-scenario.ts";
import { itemTable } from "../../tables/item-table.ts";

/** True for spans: OTLP JSON, or objects with a trace id, a span id and attributes as Phoenix and OpenTelemetry SDKs write them. */
export function isSpans(value: unknown): boolean {
  return (
    listField(value, "resourceSpans", "resource_spans") !== undefined ||
    isSpan(listField(value, "data")?.[0]) ||
    isAgentRun(value) ||
    isAgentRun(listField(value, "runs")?.[0]) ||
    isSpan(value)
  );
}

const isSpan = (value: unknown): boolean =>
  isRecord(value) &&
  idsOf(value).trace !== undefined &&
  (isRecord(value["attributes"]) ||
    Array.isArray(value["attributes"]) ||
    Object.keys(value).some((name) => name.startsWith("attributes.")));

/** OpenTelemetry spans with the attributes of the GenAI conventions, OpenInference, Langfuse, the AI SDK or OpenLLMetry. */
const importSpans: Importer = ({ document, collector, mapping }) => {
  const found = document.values.flatMap((entry) => spansIn(entry));
  const spans = found.flatMap(({ value, place }): Span | readonly Span[] => {
    if (isAgentRun(value)) return agentRunSpans(value, place);
    const span = toSpan(value, place);
    if (!span) collector.note("dropped", place, "the item is not a span");
    return span ?? [];
  });
  addTraces(spans, { collector, mapping });
};

export const spans = defineFormat({
  id: "spans",
  title: "OpenTelemetry spans (OTLP JSON, Phoenix; GenAI and OpenInference attributes)",
  label: "Traces (OTLP, Phoenix, agent runs)",
  extensions: ["json", "jsonl"],
  detect: [
    {
      of: "file",
      rank: 50,
      because: "it has OpenTelemetry spans",
      holds: (value) => !Array.isArray(value) && isSpans(value),
    },
    { of: "item", rank: 40, because: "its items are OpenTelemetry spans", holds: isSpans },
  ],
  tables: [
    itemTable({
      rank: 60,
      holds: (has) => has("context.trace_id") || has("context.span_id", "attributes.input.value"),
      read: importSpans,
    }),
  ],
  read: importSpans,
});

function spansIn({ value, place }: Item): Item[] {
  const resources = listField(value, "resourceSpans", "resource_spans");
  if (resources)
    return resources.flatMap((resource, at) => {
      const name = ["scopeSpans", "scope_spans", "instrumentationLibrarySpans"].find((each) =>
        listField(resource, each),
      );
      return (listField(resource, name ?? "") ?? []).flatMap((scope, index) =>
        (listField(scope, "spans") ?? []).map((span, number) => ({
          value: span,
          place: locationBelow(place, "resourceSpans", at, name ?? "", index, "spans", number),
        })),
      );
    });
  const page = listField(value, "data", "spans", "runs");
  const [list, steps] = Array.isArray(value)
    ? [value as unknown[], []]
    : [page, [["data", "spans", "runs"].find((name) => listField(value, name)) ?? ""]];
  if (!list) return [{ value, place }];
  return list.flatMap((entry, index) => spansIn({ value: entry, place: locationBelow(place, ...steps, index) }));
}

interface KnownSpan {
  readonly trace?: string | undefined;
  readonly session?: string | undefined;
}

function idsOf(value: JsonRecord): { trace: string | undefined; span: string | undefined; parent: string | undefined } {
  const context = recordField(value, "context", "spanContext") ?? {};
  return {
    trace: textField(value, "traceId", "trace_id", "context.trace_id") ?? textField(context, "trace_id", "traceId"),
    span: textField(value, "spanId", "span_id", "context.span_id") ?? textField(context, "span_id", "spanId"),
    parent: textField(value, "parentSpanId", "parent_span_id", "parent_id", "parentId") || undefined,
  };
}

/** Reads one span in any of the forms. */
export function toSpan(value: unknown, place: SourceLocation, known: KnownSpan = {}): Span | undefined {
  if (!isRecord(value)) return undefined;
  const { trace = known.trace, span, parent } = idsOf(value);
  if (trace === undefined) return undefined;
  const attributes = attributesOf(value);
  const get = (...names: readonly string[]): unknown =>
    names.map((name) => attributes[name]).find((each) => each !== undefined);
  const name = textField(value, "name") ?? "";
  const kind = spanKind(get, value);
  const session = scalarText(
    get("gen_ai.conversation.id", "session.id", "langfuse.session.id", "thread.id", "mlflow.trace.session"),
  );
  const input = get(
    "input.value",
    "langfuse.observation.input",
    "langfuse.trace.input",
    "mlflow.spanInputs",
    "traceloop.entity.input",
    "ai.prompt",
  );
  const output = get(
    "output.value",
    "langfuse.observation.output",
    "langfuse.trace.output",
    "mlflow.spanOutputs",
    "traceloop.entity.output",
    "ai.response.text",
  );
  return {
    id: span ?? "",
    parent,
    trace,
    session: known.session ?? session,
    name,
    kind,
    start: timeOf(anyField(value, "startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime")),
    input,
    output,
    place,
    messages: kind === "tool" ? undefined : modelMessages({ input, output }, attributes),
    call: kind === "tool" ? spanCall(get, { name, value, input, output }) : undefined,
    tools: get("gen_ai.tool.definitions", "mlflow.chat.tools") ?? listedTools(attributes),
    model: scalarText(
      get(
        "gen_ai.response.model",
        "gen_ai.request.model",
        "llm.model_name",
        "langfuse.observation.model.name",
        "ai.response.model",
        "ai.model.id",
        "mlflow.chat.model",
      ),
    ),
    failed: isFailedSpan(value) || /^error$/i.test(scalarText(get("langfuse.observation.level")) ?? ""),
    tags: [get("tag.tags", "langfuse.trace.tags") ?? []].flat().flatMap((tag) => scalarText(tag) ?? []),
  };
}

type Get = (...names: readonly string[]) => unknown;

function spanKind(get: Get, value: JsonRecord): Span["kind"] {
  const named = get(
    "openinference.span.kind",
    "gen_ai.operation.name",
    "langfuse.observation.type",
    "mlflow.spanType",
    "traceloop.span.kind",
  );
  const kind = (scalarText(parseIfJson(named)) ?? textField(value, "span_kind") ?? "").toLowerCase();
  if (kind === "tool" || kind === "execute_tool" || get("ai.toolCall.name") !== undefined) return "tool";
  const isModel = /^(?:llm|chat|chat_model|generation|text_completion|generate_content|completion)$/.test(kind);
  const isAsked =
    get("gen_ai.prompt.0.role", "gen_ai.prompt", "gen_ai.input.messages", "ai.prompt.messages") !== undefined;
  return isModel || isAsked ? "model" : "other";
}

/** Attributes as flat dotted keys: OTLP lists of keys and values, nested objects, or columns of a table. */
function attributesOf(value: JsonRecord): JsonRecord {
  const given = value["attributes"];
  const flat: Record<string, unknown> = {};
  if (Array.isArray(given))
    for (const entry of given) flat[textField(entry, "key") ?? ""] = otlpValue(field(entry, "value"));
  else if (isRecord(given)) flatten(given, "", flat);
  for (const [name, cell] of Object.entries(value))
    if (name.startsWith("attributes.") && (cell ?? "") !== "")
      flatten({ [name.slice("attributes.".length)]: fromCell(cell) }, "", flat);
  // Before 2025, OpenTelemetry's conventions put the texts of a model call into events of its span.
  for (const event of listField(value, "events") ?? [])
    if (isRecord(event) && textField(event, "name")?.startsWith("gen_ai.content."))
      Object.assign(flat, attributesOf(event));
  return flat;
}

/** pandas writes lists of messages as Python prints them. */
function fromCell(cell: unknown): unknown {
  if (typeof cell !== "string" || !/^\s*\[\s*\{/.test(cell)) return cell;
  const value = parseIfJson(cell);
  return typeof value === "string" ? (parsePythonLiteral(cell) ?? cell) : value;
}

/** Lists of objects are flattened with their indexes, as OpenInference does; other lists are values. */
function flatten(value: unknown, prefix: string, into: Record<string, unknown>): void {
  const isNested = isRecord(value) || (Array.isArray(value) && value.some(isRecord));
  if (!isNested || prefix === "gen_ai.input.messages" || prefix === "gen_ai.output.messages") {
    into[prefix] = value;
    return;
  }
  for (const [key, inner] of Object.entries(value as object))
    flatten(inner, prefix === "" ? key : `${prefix}.${key}`, into);
}

function otlpValue(value: unknown): unknown {
  const list = listField(field(value, "arrayValue"), "values");
  if (list) return list.map(otlpValue);
  const pairs = listField(field(value, "kvlistValue"), "values");
  if (pairs)
    return Object.fromEntries(pairs.map((pair) => [textField(pair, "key") ?? "", otlpValue(field(pair, "value"))]));
  const number = anyField(value, "intValue", "doubleValue");
  return number === undefined ? anyField(value, "stringValue", "boolValue") : Number(number);
}

/** Nanoseconds, milliseconds or a date, as milliseconds. */
function timeOf(value: unknown): number {
  const number = Number(value);
  if (Number.isNaN(number)) return Date.parse(scalarText(value) ?? "") || 0;
  return number > 1e15 ? number / 1e6 : number;
}

interface Ends {
  readonly input: unknown;
  readonly output: unknown;
}

/** The messages of a model call: by the first convention with attributes for them, or in the input and output. */
export function modelMessages({ input, output }: Ends, attributes: JsonRecord = {}): Span["messages"] {
  const listed = (...names: readonly string[]): unknown[] | undefined => {
    for (const name of names) {
      const value = parseIfJson(attributes[name]);
      if (Array.isArray(value) && value.length > 0) return value;
    }
    return undefined;
  };
  const { "gen_ai.prompt": prompt, "gen_ai.completion": completion } = attributes;
  const sent =
    listed("gen_ai.input.messages", "ai.prompt.messages", "gen_ai.prompt") ??
    indexed(attributes, "llm.input_messages", "gen_ai.prompt") ??
    (typeof prompt === "string" && prompt !== "" ? [{ role: "user", content: prompt }] : undefined);
  if (sent) {
    const system = parseIfJson(attributes["gen_ai.system_instructions"]);
    const before = system === undefined || system === null ? [] : [{ role: "system", content: system }];
    const answered =
      listed("gen_ai.output.messages", "gen_ai.completion") ??
      indexed(attributes, "llm.output_messages", "gen_ai.completion") ??
      (typeof completion === "string" && completion !== "" ? [{ role: "assistant", content: completion }] : undefined);
    return { sent: [...before, ...sent], answered: answered ?? aiSdkReply(attributes) ?? replyIn(parseIfJson(output)) };
  }
  // Some tools hold the request and the response of the model's API.
  const request = parseIfJson(input);
  const asked = Array.isArray(request) ? request : anyField(request, "messages", "input", "contents", "prompt");
  if (!Array.isArray(asked) && typeof asked !== "string") return undefined;
  const system = anyField(request, "system", "instructions");
  return {
    sent: [
      ...(system === undefined ? [] : [{ role: "system", content: system }]),
      ...(Array.isArray(asked) ? asked.flat() : [{ role: "user", content: asked }]),
    ],
    answered: replyIn(parseIfJson(output)),
  };
}

/** The reply in the response of a model: OpenAI, Anthropic, the Responses API, or a bare message. */
function replyIn(output: unknown): unknown[] {
  if (Array.isArray(output)) {
    const isOnlyCalls =
      output.length > 0 && output.every((part) => readMessage(part) === undefined && readToolCall(part));
    return isOnlyCalls ? [{ role: "assistant", content: "", tool_calls: output }] : output;
  }
  if (typeof output === "string") return output === "" ? [] : [{ role: "assistant", content: output }];
  const [choice] = listField(output, "choices", "candidates", "generations") ?? [];
  const [first] = Array.isArray(choice) ? choice : [choice];
  const message = anyField(first, "message", "content") ?? anyField(output, "message");
  if (message !== undefined)
    return [isRecord(message) && !("role" in message) ? { role: "assistant", ...message } : message];
  const listed = listField(output, "output", "messages");
  if (listed) return [...listed];
  if (!isRecord(output)) return [];
  return "role" in output || "tool_calls" in output || "content" in output ? [{ role: "assistant", ...output }] : [];
}

function aiSdkReply(attributes: JsonRecord): unknown[] | undefined {
  const text = attributes["ai.response.text"];
  const calls = parseIfJson(attributes["ai.response.toolCalls"]);
  if (text === undefined && !Array.isArray(calls)) return undefined;
  return [compact({ role: "assistant", content: text ?? "", tool_calls: Array.isArray(calls) ? calls : undefined })];
}

/** Rebuilds a list from keys such as `llm.input_messages.0.message.role`. */
function indexed(attributes: JsonRecord, ...prefixes: readonly string[]): unknown[] | undefined {
  for (const prefix of prefixes) {
    const list = nested(attributes, prefix);
    if (Array.isArray(list) && list.length > 0) return list.map(withoutPrefixes);
  }
  return undefined;
}

function nested(attributes: JsonRecord, prefix: string): unknown {
  const root: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(attributes)) {
    if (!key.startsWith(`${prefix}.`)) continue;
    const steps = key.slice(prefix.length + 1).split(".");
    let at = root;
    for (const step of steps.slice(0, -1))
      at = (isRecord(at[step]) ? at[step] : (at[step] = {})) as Record<string, unknown>;
    at[steps.at(-1) ?? ""] = value;
  }
  return toLists(root);
}

/** Objects whose keys are indexes become lists. */
function toLists(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, toLists(inner)] as const);
  const isList = entries.length > 0 && entries.every(([key]) => /^\d+$/.test(key));
  return isList
    ? entries.toSorted(([left], [right]) => Number(left) - Number(right)).map(([, inner]) => inner)
    : Object.fromEntries(entries);
}

/** OpenInference repeats the name of the object in its keys: `message.role`, `tool_call.function.name`. */
function withoutPrefixes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrefixes);
  if (!isRecord(value)) return value;
  const inner = ["message", "tool_call", "message_content"].find(
    (name) => isRecord(value[name]) && Object.keys(value).length === 1,
  );
  if (inner !== undefined) return withoutPrefixes(value[inner]);
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key === "contents" ? "content" : key, withoutPrefixes(each)]),
  );
}

function listedTools(attributes: JsonRecord): unknown {
  const list = nested(attributes, "llm.tools");
  return Array.isArray(list) ? list.map((entry) => anyField(field(entry, "tool"), "json_schema") ?? entry) : undefined;
}

/** OTLP numbers the statuses; others name them. */
function isFailedSpan(value: JsonRecord): boolean {
  const status = recordField(value, "status");
  const code = anyField(status, "code", "status_code") ?? anyField(value, "status_code");
  return code === 2 || /error/i.test(scalarText(code) ?? "");
}

export const toolNameIn = (get: Get): string | undefined =>
  scalarText(get("gen_ai.tool.name", "tool.name", "ai.toolCall.name"));

/** The name of a tool in that of its span. */
export const toolNameOf = (span: string): string => span.replace(/^(?:execute_tool |running tool: )/, "");

interface ToolSpan extends Ends {
  readonly name: string;
  readonly value: JsonRecord;
}

function spanCall(get: Get, { name, value, input, output }: ToolSpan): ImportedToolCall | undefined {
  const result = get("gen_ai.tool.call.result", "ai.toolCall.result") ?? output;
  const status = recordField(value, "status");
  const isError = isFailedSpan(value);
  const message =
    textField(status, "message", "description") ?? textField(value, "status_message") ?? "The call failed.";
  return readToolCall({
    id: scalarText(get("gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id")),
    name: toolNameIn(get) ?? toolNameOf(name),
    arguments: get("gen_ai.tool.call.arguments", "ai.toolCall.args", "tool.parameters") ?? input ?? {},
    ...(isError ? { error: message } : result !== undefined && { result }),
  });
}
