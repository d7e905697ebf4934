import { parseIfJson } from "../documents/exact-json.ts";
import type { ScenarioCollector } from "../shared/scenario-collector.ts";
import type { ColumnMapping } from "../documents/columns.ts";
import { importTable } from "../tables/import-table.ts";
import { readTable, type Table, type TableRow } from "../tables/read-table.ts";
import { unpackCells } from "../tables/unpack-cells.ts";
import { importDeepEval } from "./deepeval.ts";
import type { Importer } from "../shared/importer.ts";
import { importMlflow, importSpans } from "./traces/spans.ts";
import { importInspect } from "./inspect.ts";
import { importLangfuse, importTraces } from "./langfuse.ts";
import { importLangSmith } from "./langsmith.ts";
import { importAttackTable, importResultTable, importTestTable } from "./promptfoo/tables.ts";
import { importRows } from "./rows.ts";

interface CsvSource {
  readonly text: string;
  readonly collector: ScenarioCollector;
  readonly mapping: ColumnMapping;
  readonly delimiter?: string;
}

/** Imports a table, by the conventions of another tool if its columns match, otherwise by ours. */
export function importCsv({ text, collector, mapping, delimiter }: CsvSource): void {
  const table = readTable({ text, collector, delimiter });
  if (importToolTable(table, collector, mapping)) return;
  const opened = unpackCells(table, mapping, collector);
  importTable(opened.table, collector, opened.mapping);
}

/** Returns false if the columns match no other tool. */
function importToolTable(table: Table, collector: ScenarioCollector, mapping: ColumnMapping): boolean {
  const has = (...names: readonly string[]): boolean => names.every((name) => table.names.includes(name));
  if (table.names.some((name) => /^__expected\d*$/.test(name))) {
    importTestTable(table, collector, mapping);
    return true;
  }
  if (mapping.user === undefined && importResultTable(table, collector, mapping)) return true;
  if (mapping.user === undefined && importAttackTable(table, collector)) return true;
  if (importTraces(table, collector, mapping)) return true;
  const columns = mapping.user === undefined ? exampleColumns(table.names) : undefined;
  if (columns) {
    const values = table.rows.map(({ place, cells }) => ({ place, value: toExample(cells, columns) }));
    importLangSmith({ document: { syntax: "jsonl", values, notes: [] }, collector, mapping });
    return true;
  }
  // A mapping overrides the conventions of other tools.
  const known = mapping.user !== undefined || has("user_message");
  const found = known ? undefined : toolTables.find(({ holds }) => holds(has));
  if (!found) return false;
  const values = table.rows.map(({ place, cells }) => ({ place, value: toItem(cells, found.texts) }));
  found.importer({ document: { syntax: "jsonl", values, notes: [] }, collector, mapping });
  return true;
}

type ExampleColumns = ReadonlyMap<string, readonly [part: "inputs" | "outputs" | "reference_outputs", name: string]>;

/** LangSmith writes a column for each field: `inputs.question`, `input_question`, `outputs.answer`, `reference.answer`. */
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

interface ToolTable {
  readonly importer: Importer;
  readonly holds: (has: (...names: readonly string[]) => boolean) => boolean;
  /** Columns that always hold plain text. Other columns may hold JSON. */
  readonly texts: readonly string[];
}

const toolTables: readonly ToolTable[] = [
  {
    importer: importSpans,
    holds: (has) => has("context.trace_id") || has("context.span_id", "attributes.input.value"),
    texts: [],
  },
  {
    importer: importMlflow,
    holds: (has) =>
      has("info", "data") || has("trace_id", "request", "response") || has("request_id", "request", "response"),
    texts: [],
  },
  { importer: importLangfuse, holds: (has) => has("input", "expectedOutput"), texts: [] },
  { importer: importLangSmith, holds: (has) => has("inputs", "outputs"), texts: [] },
  {
    importer: importDeepEval,
    holds: (has) =>
      has("scenario", "turns", "expected_outcome") ||
      (has("input", "expected_output") &&
        ["retrieval_context", "source_file", "tools_called"].some((name) => has(name))),
    texts: ["input", "expected_output", "actual_output"],
  },
  {
    importer: importInspect,
    holds: (has) =>
      has("input", "target") && ["metadata", "choices", "sandbox", "files", "setup"].some((name) => has(name)),
    texts: ["input", "target"],
  },
  // Braintrust's CSV cells contain the same JSON as its JSON lines.
  { importer: importRows, holds: (has) => has("input", "expected", "metadata"), texts: [] },
];

function toItem(cells: TableRow["cells"], texts: readonly string[]): Record<string, unknown> {
  const toValue = (name: string, cell: unknown): unknown => {
    if (cell === "") return null;
    return texts.includes(name) ? cell : parseIfJson(cell);
  };
  return Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, toValue(name, cell)]));
}
