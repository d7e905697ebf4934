import { isRecord, type JsonRecord } from "../../base/json.ts";
import { parseIfJson } from "../documents/exact-json.ts";
import { anyField, normalizeName, scalarText } from "../documents/records.ts";
import type { ScenarioCollector } from "../scenario-collector.ts";
import { isNotLabel, type ColumnMapping } from "../tables/columns.ts";
import { importTable } from "../tables/import-table.ts";
import { assignColumns } from "../tables/plan-columns.ts";
import type { Table, TableRow } from "../tables/read-table.ts";
import { liftMetadata } from "../tables/unpack-cells.ts";
import { addDatasetItem, noteOtherFields, readOutput } from "./dataset-item.ts";
import {
  descend,
  itemsOf,
  type Importer,
  type ItemContext,
  listUnder,
  noteIgnored,
  type ItemNotes,
} from "./importer.ts";

const known = ["id", "input", "expectedOutput", "expected_output", "metadata", "status", "datasetName", "dataset_name"];

/** Langfuse dataset items: a list, JSON lines, or an API page `{"data": […]}` of `{input, expectedOutput, metadata}`. */
export const importLangfuse: Importer = ({ document, collector, mapping }) => {
  for (const { value, place } of itemsOf(document, listUnder("data", "items"))) {
    if (!isRecord(value)) collector.note("dropped", place, "the item is not a dataset item");
    else if (scalarText(value["status"])?.toUpperCase() === "ARCHIVED")
      collector.note("dropped", place, "the item is archived");
    else {
      const output = anyField(value, "expectedOutput", "expected_output");
      const { id, input, metadata } = value;
      const item = { id, input, inputName: "input", output, outputName: "expectedOutput", metadata };
      const context = { place, collector, mapping };
      noteOtherFields(value, known, context);
      addDatasetItem(item, context);
    }
  }
};

/** Column pairs that distinguish Langfuse traces and observations from a dataset of questions and answers. */
const traceColumns = [
  ["timestamp", "bookmarked"],
  ["timestamp", "htmlPath"],
  ["traceId", "startTime"],
];

const pastRepliesText =
  "past replies are kept as agent_reply, not as reference replies; to expect them, name the column with the mapping reference=output";

const turnColumns = ["sessionId", "id", "input", "output", "tags"];

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
  const traces = rows.flatMap((row) => readTrace(row, { place: row.place, collector, mapping }));
  const given = new Set([...names, ...traces.flatMap(({ cells }) => Object.keys(cells))]);
  const labels = labelsAmong([...given], mapping);
  const ignored = names.filter((name) => ![...turnColumns, "metadata", ...labels].includes(name) && !isNotLabel(name));
  noteIgnored(ignored, { place: { line: 1 }, collector });
  const isExpected = reference !== undefined;
  if (!isExpected) collector.note("changed", { line: 1 }, pastRepliesText);
  importTable(
    { names: [...turnColumns, ...labels.filter((name) => given.has(name))], rows: byTime(traces) },
    collector,
    {
      user: "input",
      scenario_id: "sessionId",
      id: "id",
      tags: "tags",
      [isExpected ? "reference" : "agent_reply"]: "output",
      labels,
    },
  );
  return true;
}

/** Parses the cells of a trace; steps of other traces are dropped. */
function readTrace({ place, cells }: TableRow, context: ItemContext): TableRow[] {
  if (isTraceStep(cells, context)) return [];
  const input = parseIfJson(cells["input"]);
  if ((input ?? "") === "") {
    context.collector.note("dropped", place, "the trace has no input");
    return [];
  }
  const [tags, metadata] = [parseIfJson(cells["tags"]), parseIfJson(cells["metadata"])];
  const isTagged = !Array.isArray(tags) || tags.length > 0;
  const { reference: output } = readOutput(parseIfJson(cells["output"]), descend(context, "output"));
  return [{ place, cells: liftMetadata({ ...cells, tags: isTagged ? tags : "", metadata, input, output }, context) }];
}

/** The requested labels, even if they are missing, or else the known ones. */
function labelsAmong(names: readonly string[], { labels }: ColumnMapping): string[] {
  const find = (wanted: string): string | undefined =>
    names.find((name) => normalizeName(name) === normalizeName(wanted));
  return (
    labels?.map((wanted) => find(wanted) ?? wanted) ?? ["intent", "sentiment"].filter((name) => names.includes(name))
  );
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
