import { isRecord, type JsonRecord } from "../../base/json.ts";
import { parseIfJson } from "../documents/exact-json.ts";
import {
  anyField,
  listField,
  locationBelow,
  recordField,
  scalarText,
  textField,
  toTextList,
  hasFields,
} from "../documents/records.ts";
import type { SourceLocation } from "../documents/format-error.ts";
import { parsePythonLiteral } from "../documents/python-literal.ts";
import { readToolCall, readToolResult, type ImportedToolCall } from "../shared/tool-calls.ts";
import { addTraces } from "./traces/conversations.ts";
import type { Span } from "../shared/imported-scenario.ts";
import { modelMessages } from "../spans/model-messages.ts";
import { addDatasetItem, keepOthers, readOutput } from "../shared/dataset-item.ts";
import { defineFormat, type Importer } from "../shared/define-format.ts";
import { descend, itemsOf, type ItemContext, listUnder } from "../shared/items.ts";
import type { TableRow } from "../tables/read-table.ts";
import { itemTable } from "../tables/item-table.ts";

const known = [
  "id",
  "name",
  "inputs",
  "outputs",
  "reference_outputs",
  "expected",
  "expectations",
  "metadata",
  "split",
  "splits",
  "dataset_name",
  "run_type",
];

/** LangSmith dataset exports: a list, JSON lines, or `{"examples": […]}` of `{inputs, outputs, metadata}`; also runs with their steps. */
const importLangSmith: Importer = ({ document, collector, mapping }) => {
  const runs: Span[] = [];
  for (const { value, place } of itemsOf(document, listUnder("examples", "runs"))) {
    if (!isRecord(value)) {
      collector.note("dropped", place, "the item is not an example");
      continue;
    }
    const context = { place, collector, mapping };
    const isRun = "run_type" in value && anyField(value, "reference_outputs") === undefined;
    if (isRun) runs.push(...runSpans(value, { place }));
    else addExample(value, context);
  }
  addTraces(runs, { collector, mapping });
};

export const langSmith = defineFormat({
  id: "langsmith",
  title: "LangSmith dataset examples and runs",
  label: "LangSmith",
  extensions: ["json", "jsonl"],
  detect: [
    {
      of: "file",
      rank: 160,
      because: "it has examples with inputs",
      holds: (value) => hasFields("inputs")(listField(value, "examples")?.[0]),
    },
    {
      of: "item",
      rank: 240,
      because: "its items have inputs",
      holds: (value) => recordField(value, "inputs") !== undefined,
    },
  ],
  tables: [
    {
      rank: 50,
      read: (table, context) => {
        const columns = context.mapping.user === undefined ? exampleColumns(table.names) : undefined;
        if (!columns) return false;
        const values = table.rows.map(({ place, cells }) => ({ place, value: toExample(cells, columns) }));
        importLangSmith({ document: { syntax: "jsonl", values, notes: [] }, ...context });
        return true;
      },
    },
    itemTable({ rank: 90, holds: (has) => has("inputs", "outputs"), read: importLangSmith }),
  ],
  isDataset: true,
  read: importLangSmith,
});

type ExampleColumns = ReadonlyMap<string, readonly [part: "inputs" | "outputs" | "reference_outputs", name: string]>;

/** A table has a column for each field: `inputs.question`, `input_question`, `outputs.answer`, `reference.answer`. */
function exampleColumns(names: readonly string[]): ExampleColumns | undefined {
  const columns = new Map(
    names.flatMap((column) => {
      const [, part = "", name = ""] =
        /^(inputs?|outputs?|reference(?:_outputs)?)[._](?!tokens$)(.+)$/.exec(column) ?? [];
      if (part === "") return [];
      const of = part.startsWith("input") ? "inputs" : part.startsWith("output") ? "outputs" : "reference_outputs";
      return [[column, [of, name] as const] as const];
    }),
  );
  const parts = new Set([...columns.values()].map(([part]) => part));
  return parts.has("inputs") && (parts.has("outputs") || parts.has("reference_outputs")) ? columns : undefined;
}

function toExample(cells: TableRow["cells"], columns: ExampleColumns): Record<string, unknown> {
  const example: Record<string, Record<string, unknown>> = {};
  const others: Record<string, unknown> = {};
  for (const [column, cell] of Object.entries(cells)) {
    if ((cell ?? "") === "") continue;
    const [part, name] = columns.get(column) ?? [];
    if (part === undefined || name === undefined) others[column] = parseIfJson(cell);
    else (example[part] ??= {})[name] = parseIfJson(cell);
  }
  return { ...others, inputs: {}, ...example };
}

interface RunPlace {
  readonly place: SourceLocation;
  readonly trace?: string | undefined;
  readonly parent?: string | undefined;
}

/** A run and the runs inside it. */
function runSpans(value: JsonRecord, { place, trace: outer, parent: above }: RunPlace): Span[] {
  const id = scalarText(anyField(value, "id", "run_id")) ?? "";
  const parent = scalarText(anyField(value, "parent_run_id")) ?? above;
  const trace = scalarText(anyField(value, "trace_id")) ?? outer ?? parent ?? id;
  const type = textField(value, "run_type") ?? "";
  const about = recordField(recordField(value, "extra"), "metadata") ?? recordField(value, "metadata") ?? {};
  const [input, output] = [value["inputs"], value["outputs"]];
  const span: Span = {
    id,
    parent,
    trace,
    session: scalarText(anyField(about, "thread_id", "session_id", "conversation_id") ?? anyField(value, "thread_id")),
    name: textField(value, "name") ?? "",
    kind: type === "llm" ? "model" : type === "tool" ? "tool" : "other",
    model: textField(recordField(recordField(value, "extra"), "invocation_params"), "model", "model_name"),
    failed: (textField(value, "error") ?? "") !== "",
    start: Date.parse(scalarText(anyField(value, "start_time")) ?? "") || 0,
    input,
    output,
    tags: toTextList(listField(value, "tags")),
    metadata: parent === undefined ? userMetadata(about) : undefined,
    messages: type === "llm" ? modelMessages({ input, output }) : undefined,
    call: type === "tool" ? toolCall(value) : undefined,
    tools:
      type === "llm" ? anyField(recordField(recordField(value, "extra"), "invocation_params"), "tools") : undefined,
    place,
  };
  const children = (listField(value, "child_runs") ?? []).filter(isRecord);
  return [
    span,
    ...children.flatMap((child, index) =>
      runSpans(child, { place: locationBelow(place, "child_runs", index), trace, parent: id }),
    ),
  ];
}

/** Metadata that the tracer writes itself is left out. */
const userMetadata = (about: JsonRecord): JsonRecord =>
  Object.fromEntries(
    Object.entries(about).filter(([name]) => !/^(?:ls_|langgraph_|LANGSMITH_|revision_id|thread_id)/.test(name)),
  );

/** LangChain passes the arguments as a text in Python's notation. */
function toolCall(value: JsonRecord): ImportedToolCall | undefined {
  const only = textField(value["inputs"], "input");
  const parsed = only === undefined ? undefined : parseIfJson(only);
  const given =
    only === undefined ? value["inputs"] : isRecord(parsed) ? parsed : (parsePythonLiteral(only) ?? { input: only });
  const error = textField(value, "error");
  const { result } = readToolResult(anyField(value["outputs"], "output") ?? value["outputs"]);
  return readToolCall({
    name: textField(value, "name"),
    arguments: given ?? {},
    ...(error === undefined ? { result } : { error }),
  });
}

/** Beside expected outputs, `outputs` is the past reply. */
function addExample(value: JsonRecord, context: ItemContext): void {
  const { inputs, outputs, metadata } = value;
  const expected = anyField(value, "reference_outputs", "expected") ?? expectedResponse(value);
  const isPast = expected !== undefined || isRecord(value["expectations"]);
  const past = isPast ? readOutput(outputs, descend(context, "outputs")) : undefined;
  const split =
    listField(value, "split", "splits") ?? (scalarText(value["split"]) === undefined ? [] : [value["split"]]);
  const others = { ...keepOthers(value, known, context), ...expectationsBeside(value, context) };
  addDatasetItem(
    {
      others,
      id: anyField(value, "id", "run_id"),
      input: inputs,
      inputName: "inputs",
      output: isPast ? expected : outputs,
      outputName: anyField(value, "reference_outputs") === undefined ? "outputs" : "reference_outputs",
      metadata,
      tags: toTextList(split),
      last: { reply: past?.reference, calls: past?.calls },
    },
    context,
  );
}

/** An example may have several expectations; only the expected response can be a reference reply. */
const expectedResponse = ({ expectations }: JsonRecord): unknown => anyField(expectations, "expected_response");

function expectationsBeside({ expectations }: JsonRecord, { place, collector }: ItemContext): JsonRecord {
  if (!isRecord(expectations)) return {};
  const { expected_response: _, ...others } = expectations;
  const names = Object.keys(others);
  if (names.length === 0) return {};
  const at = locationBelow(place, "expectations");
  collector.note("changed", at, `not checked; kept as metadata: ${names.join(", ")}`);
  return { expectations: others };
}
