import { compact } from "../../base/compact.ts";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import { parseIfJson } from "../documents/exact-json.ts";
import {
  anyField,
  field,
  listField,
  locationBelow,
  recordField,
  scalarText,
  textField,
  hasAnyField,
  hasFields,
} from "../documents/records.ts";
import { readMessage } from "../shared/read-messages.ts";
import type { ScenarioCollector } from "../shared/scenario-collector.ts";
import type { SourceLocation } from "../documents/format-error.ts";
import { readToolCall } from "../shared/tool-calls.ts";
import type { ColumnMapping } from "../documents/columns.ts";
import { importTable } from "../tables/import-table.ts";
import { assignColumns } from "../tables/plan-columns.ts";
import type { Table, TableRow } from "../tables/read-table.ts";
import { liftMetadata } from "../tables/unpack-cells.ts";
import { addTraces } from "./traces/conversations.ts";
import type { Span } from "../shared/imported-scenario.ts";
import { modelMessages } from "../spans/model-messages.ts";
import { kindOf, readToolName, toolNameOf } from "../spans/read-span.ts";
import { addDatasetItem, keepOthers, readOutput } from "../shared/dataset-item.ts";
import { defineFormat, type Importer } from "../shared/define-format.ts";
import { descend, itemsOf, type ItemContext, listUnder, type ItemNotes } from "../shared/items.ts";
import { itemTable } from "../tables/item-table.ts";

const known = ["id", "input", "expectedOutput", "expected_output", "metadata", "status", "datasetName", "dataset_name"];

/**
 * Langfuse dataset items: a list, JSON lines, or an API page `{"data": […]}` of `{input, expectedOutput, metadata}`; also traces with
 * their observations, and observations alone.
 */
const importLangfuse: Importer = ({ document, collector, mapping }) => {
  const spans: Span[] = [];
  const isExpected = collector.expectsRecorded || mapping.reference === "output";
  for (const { value, place } of itemsOf(document, listUnder("data", "items", "traces"))) {
    if (isLangfuseTrace(value)) spans.push(...traceSpans(value, { place, collector }));
    else if (!isRecord(value)) collector.note("dropped", place, "the item is not a dataset item");
    else if (scalarText(value["status"])?.toUpperCase() === "ARCHIVED")
      collector.note("dropped", place, "the item is archived");
    else {
      const output = anyField(value, "expectedOutput", "expected_output");
      const { id, input, metadata } = value;
      const item = { id, input, inputName: "input", output, outputName: "expectedOutput", metadata };
      const context = { place, collector, mapping };
      addDatasetItem({ ...item, others: keepOthers(value, known, context) }, context);
    }
  }
  addTraces(spans, { collector: { ...collector, expectsRecorded: isExpected }, mapping });
};

export const langfuse = defineFormat({
  id: "langfuse",
  title: "Langfuse dataset items and traces",
  label: "Langfuse",
  extensions: ["json", "jsonl"],
  detect: [
    {
      of: "file",
      rank: 70,
      because: "it has traces with observations",
      holds: (value) => isLangfuseTrace(value) || isLangfuseTrace(listField(value, "data", "traces")?.[0]),
    },
    {
      of: "file",
      rank: 170,
      because: "its data have input and expectedOutput",
      holds: (value) => hasAnyField("expectedOutput", "expected_output")(listField(value, "data", "items")?.[0]),
    },
    { of: "item", rank: 60, because: "its items are traces or observations", holds: isLangfuseTrace },
    {
      of: "item",
      rank: 330,
      because: "its items have input and expectedOutput",
      holds: hasFields("input", "expectedOutput"),
    },
    {
      of: "item",
      rank: 340,
      because: "its items have the fields of dataset items",
      holds: (value) =>
        hasFields("input")(value) && hasAnyField("datasetName", "datasetId", "dataset_name", "sourceTraceId")(value),
    },
  ],
  tables: [
    { rank: 40, read: (table, { collector, mapping }) => importTraces(table, collector, mapping) },
    itemTable({ rank: 80, holds: (has) => has("input", "expectedOutput"), read: importLangfuse }),
  ],
  isDataset: true,
  read: importLangfuse,
});

const observationTypes = new Set([
  "GENERATION",
  "SPAN",
  "EVENT",
  "TOOL",
  "AGENT",
  "CHAIN",
  "RETRIEVER",
  "EVALUATOR",
  "EMBEDDING",
  "GUARDRAIL",
]);

const isObservation = (value: unknown): boolean =>
  textField(value, "traceId", "trace_id") !== undefined && observationTypes.has(textField(value, "type") ?? "");

/** True for a trace with its observations, and for an observation alone. */
function isLangfuseTrace(value: unknown): value is JsonRecord {
  return (
    (recordField(value, "trace") !== undefined && listField(value, "observations") !== undefined) ||
    isListedTrace(value) ||
    isObservation(value)
  );
}

/** A trace of the API or of a JSON export, with or without its observations. */
const isListedTrace = (value: unknown): boolean =>
  isRecord(value) &&
  "timestamp" in value &&
  ("input" in value || "output" in value) &&
  ["observations", "htmlPath", "bookmarked", "projectId"].some((name) => name in value) &&
  !["expectedOutput", "expected_output", "expected"].some((name) => name in value);

const traceFields = ["id", "input", "output", "sessionId", "session_id", "tags", "observations", "name", "timestamp"];

function traceSpans(value: JsonRecord, { place, collector }: ItemNotes): Span[] {
  if (isObservation(value)) return [observationSpan(value, { trace: "", place })];
  const given = recordField(value, "trace") ?? value;
  const trace = textField(given, "id") ?? "";
  const { metadata, scores: _, ...rest } = keepOthers(given, traceFields, { place, collector });
  const about = parseIfJson(metadata);
  const root: Span = {
    id: trace,
    parent: undefined,
    trace,
    session: textField(given, "sessionId", "session_id"),
    name: textField(given, "name") ?? "",
    kind: "other",
    start: timeOf(anyField(given, "timestamp", "createdAt")),
    input: anyField(given, "input"),
    output: anyField(given, "output"),
    tags: (listField(given, "tags") ?? []).flatMap((tag) => scalarText(tag) ?? []),
    metadata: { ...rest, ...(isRecord(about) && about) },
    place,
  };
  const observations = listField(value, "observations") ?? [];
  return [
    root,
    ...observations
      .filter(isRecord)
      .map((each, index) => observationSpan(each, { trace, place: locationBelow(place, "observations", index) })),
  ];
}

function observationSpan(value: JsonRecord, { trace, place }: { trace: string; place: SourceLocation }): Span {
  const type = textField(value, "type") ?? "";
  const name = textField(value, "name") ?? "";
  const [input, output] = [anyField(value, "input"), anyField(value, "output")];
  const failed = textField(value, "level") === "ERROR";
  const outcome = failed
    ? { error: textField(value, "statusMessage", "status_message") ?? "The call failed." }
    : { result: output };
  const attributes = recordField(parseIfJson(anyField(value, "metadata")), "attributes") ?? {};
  const isTool = type === "TOOL" || kindOf(attributes) === "tool";
  const tool = isTool ? readToolName(attributes) : undefined;
  const kind = type === "GENERATION" ? "model" : isTool ? "tool" : "other";
  const { tools, messages } = kind === "model" ? readGeneration({ input, output }, attributes) : {};
  return {
    id: textField(value, "id") ?? "",
    parent: textField(value, "parentObservationId", "parent_observation_id") ?? (trace || undefined),
    trace: textField(value, "traceId", "trace_id") ?? trace,
    session: undefined,
    name,
    kind,
    model: textField(value, "model"),
    failed,
    start: timeOf(anyField(value, "startTime", "start_time")),
    input,
    output,
    place,
    messages,
    tools,
    call:
      kind === "tool"
        ? readToolCall({ name: tool ?? toolNameOf(name), arguments: parseIfJson(input) ?? {}, ...outcome })
        : undefined,
  };
}

/**
 * The messages of a model call, and its tools. Where the input has no messages, the attributes of the OpenTelemetry span may have
 * them.
 */
function readGeneration(
  ends: { readonly input: unknown; readonly output: unknown },
  attributes: JsonRecord,
): Pick<Span, "messages" | "tools"> {
  const given = modelMessages(ends);
  const isAsked = given?.sent.some((sent) => readMessage(sent)?.role === "user") === true;
  const messages = isAsked ? given : (modelMessages({ input: undefined, output: ends.output }, attributes) ?? given);
  if (!messages) return {};
  const tools = messages.sent.filter(declaresTool).map((sent) => field(sent, "content"));
  const sent = messages.sent.filter((message) => !declaresTool(message)).map(withToolRole);
  return compact({ messages: { ...messages, sent }, tools: tools.length > 0 ? tools : undefined });
}

/** The LangChain integration for Python sends the tools of a call as messages. */
const declaresTool = (sent: unknown): boolean =>
  field(sent, "role") === "tool" && recordField(recordField(sent, "content"), "function") !== undefined;

/** The LangChain integration for JavaScript writes the name of the tool as the role of its result. */
function withToolRole(sent: unknown, index: number, all: readonly unknown[]): unknown {
  const role = textField(sent, "role");
  const isCalled = all.slice(0, index).some((each) => readMessage(each)?.calls.some(({ name }) => name === role));
  return isRecord(sent) && isCalled ? { ...sent, role: "tool", name: role } : sent;
}

const timeOf = (value: unknown): number => Date.parse(scalarText(value) ?? "") || 0;

/** Column pairs that distinguish Langfuse traces and observations from a dataset of questions and answers. */
const traceColumns = [
  ["timestamp", "bookmarked"],
  ["timestamp", "htmlPath"],
  ["traceId", "startTime"],
];

const pastRepliesText =
  "past replies are kept as agent_reply, not as reference replies; to expect them, name the column with the mapping reference=output";

/**
 * Imports Langfuse traces (newest first); those of one session become the turns of one scenario. Outputs are past replies unless the
 * mapping makes them references. Returns false if the table has no traces.
 */
export function importTraces({ names, rows }: Table, collector: ScenarioCollector, mapping: ColumnMapping): boolean {
  const has = (wanted: readonly string[]): boolean => wanted.every((name) => names.includes(name));
  if (mapping.user !== undefined || !has(["input", "output"]) || !traceColumns.some(has)) return false;
  // A table with another reference column is a dataset made from traces.
  const { reference } = mapping;
  if (assignColumns(names, reference === undefined ? {} : { reference }).roles.reference !== "output") return false;
  const traces = rows.flatMap((row) => readLangfuseTrace(row, { place: row.place, collector, mapping }));
  const given = new Set([...names, ...traces.flatMap(({ cells }) => Object.keys(cells))]);
  const isExpected = reference !== undefined || collector.expectsRecorded;
  if (!isExpected) collector.note("changed", { line: 1 }, pastRepliesText);
  importTable(
    { names: [...given], rows: byTime(traces) },
    collector,
    compact({
      user: "input",
      scenario_id: given.has("sessionId") ? "sessionId" : undefined,
      id: given.has("id") ? "id" : undefined,
      tags: given.has("tags") ? "tags" : undefined,
      [isExpected ? "reference" : "agent_reply"]: "output",
      labels: mapping.labels,
    }),
  );
  return true;
}

/** Parses the cells of a trace; steps of other traces are dropped. */
function readLangfuseTrace({ place, cells }: TableRow, context: ItemContext): TableRow[] {
  if (isTraceStep(cells, context)) return [];
  const input = parseIfJson(cells["input"]);
  if ((input ?? "") === "") {
    context.collector.note("dropped", place, "the trace has no input");
    return [];
  }
  const [tags, metadata] = [parseIfJson(cells["tags"]), parseIfJson(cells["metadata"])];
  const isTagged = !Array.isArray(tags) || tags.length > 0;
  const { reference: output = "" } = readOutput(parseIfJson(cells["output"]), descend(context, "output"));
  return [{ place, cells: liftMetadata({ ...cells, tags: isTagged ? tags : "", metadata, input, output }, context) }];
}

function byTime(rows: readonly TableRow[]): readonly TableRow[] {
  const timeOf = ({ cells }: TableRow): number =>
    Date.parse(scalarText(cells["timestamp"] ?? cells["startTime"]) ?? "");
  return rows.some((row) => Number.isNaN(timeOf(row)))
    ? rows
    : rows.toSorted((left, right) => timeOf(left) - timeOf(right));
}

/** Notes and returns true for an intermediate step of a trace, as Langfuse and Braintrust export them beside the traces. */
export function isTraceStep(row: JsonRecord, { collector, place }: ItemNotes): boolean {
  const textOf = (name: string): string => scalarText(row[name])?.toLowerCase() ?? "";
  const isSpan = "span_id" in row && textOf("is_root") === "false";
  if (!isSpan && textOf("parentObservationId") === "") return false;
  collector.note("dropped", place, "this is a step of a trace");
  return true;
}
