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
import { readToolCall, type ImportedToolCall } from "../../shared/tool-calls.ts";
import { parsePythonLiteral } from "../../documents/python-literal.ts";
import { defineFormat, type Importer } from "../../shared/define-format.ts";
import type { Item } from "../../shared/items.ts";
import { agentRunSpans, isAgentRun } from "./agent-runs.ts";
import { addTraces } from "./conversations.ts";
import type { Span } from "../../shared/imported-scenario.ts";
import { modelMessages, nestedAttributes, type SpanEnds } from "../../spans/model-messages.ts";
import { attributeOf, kindOf, readToolName, toolNameOf } from "../../spans/read-span.ts";
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
  const first = (names: Parameters<typeof attributeOf>[1]): unknown => attributeOf(attributes, names);
  const name = textField(value, "name") ?? "";
  const kind = importedKind(attributes, value);
  const input = first((convention) => convention.input);
  const output = first((convention) => convention.output);
  return {
    id: span ?? "",
    parent,
    trace,
    session: known.session ?? scalarText(first((convention) => convention.session)),
    name,
    kind,
    start: timeOf(anyField(value, "startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime")),
    input,
    output,
    place,
    messages: kind === "tool" ? undefined : modelMessages({ input, output }, attributes),
    call: kind === "tool" ? spanCall(attributes, { name, value, input, output }) : undefined,
    tools: attributes["gen_ai.tool.definitions"] ?? attributes["mlflow.chat.tools"] ?? listedTools(attributes),
    model: scalarText(first(({ model }) => model?.name)),
    failed: isFailedSpan(value) || /^error$/i.test(scalarText(attributes["langfuse.observation.level"]) ?? ""),
    tags: [attributes["tag.tags"] ?? attributes["langfuse.trace.tags"] ?? []]
      .flat()
      .flatMap((tag) => scalarText(tag) ?? []),
  };
}

/** Phoenix has the kind beside the attributes. A span with the messages of a model call is read as one, whatever its kind. */
function importedKind(attributes: JsonRecord, value: JsonRecord): Span["kind"] {
  const beside = textField(value, "span_kind");
  const kind = kindOf(beside === undefined ? attributes : { "openinference.span.kind": beside, ...attributes });
  if (kind === "tool" || kind === "model") return kind;
  const messages = ["gen_ai.prompt.0.role", "gen_ai.prompt", "gen_ai.input.messages", "ai.prompt.messages"];
  return messages.some((name) => attributes[name] !== undefined) ? "model" : "other";
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

function listedTools(attributes: JsonRecord): unknown {
  const list = nestedAttributes(attributes, "llm.tools");
  return Array.isArray(list) ? list.map((entry) => anyField(field(entry, "tool"), "json_schema") ?? entry) : undefined;
}

/** OTLP numbers the statuses; others name them. */
function isFailedSpan(value: JsonRecord): boolean {
  const status = recordField(value, "status");
  const code = anyField(status, "code", "status_code") ?? anyField(value, "status_code");
  return code === 2 || /error/i.test(scalarText(code) ?? "");
}

interface ToolSpan extends SpanEnds {
  readonly name: string;
  readonly value: JsonRecord;
}

function spanCall(attributes: JsonRecord, { name, value, input, output }: ToolSpan): ImportedToolCall | undefined {
  const first = (names: Parameters<typeof attributeOf>[1]): unknown => attributeOf(attributes, names);
  const result = first(({ tool }) => tool?.result) ?? output;
  const status = recordField(value, "status");
  const isError = isFailedSpan(value);
  const message =
    textField(status, "message", "description") ?? textField(value, "status_message") ?? "The call failed.";
  return readToolCall({
    id: scalarText(first(({ tool }) => tool?.id)),
    name: readToolName(attributes) ?? toolNameOf(name),
    arguments: first(({ tool }) => tool?.arguments) ?? input ?? {},
    ...(isError ? { error: message } : result !== undefined && { result }),
  });
}
