import type { ColumnMapping } from "../column-mapping.ts";
import type { ScenarioCollector } from "../scenario-collector.ts";
import type { Importer } from "./importer.ts";
import { importLangfuse } from "./langfuse.ts";
import { importLangSmith } from "./langsmith.ts";
import { importTestTable } from "./promptfoo/test-table.ts";
import type { Row, Table } from "./table-rows.ts";

/** Reads a table that follows another tool's rules; false when it is nobody's. */
export function importPeerTable(table: Table, collector: ScenarioCollector, mapping: ColumnMapping): boolean {
  const has = (...names: readonly string[]): boolean => names.every((name) => table.names.includes(name));
  if (table.names.some((name) => /^__expected\d*$/.test(name))) importTestTable(table, collector, mapping);
  // A mapping means that somebody knows better.
  else if (mapping.user !== undefined) return false;
  else if (has("input", "expectedOutput")) importItems(importLangfuse, table.rows, collector);
  else if (has("inputs", "outputs")) importItems(importLangSmith, table.rows, collector);
  else return false;
  return true;
}

/** Langfuse and LangSmith write every cell of their tables as JSON. */
function importItems(importer: Importer, rows: readonly Row[], collector: ScenarioCollector): void {
  const values = rows.map(({ place, cells }) => ({
    place,
    value: Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, fromJson(cell)])),
  }));
  importer({ document: { syntax: "jsonl", values, notes: [] }, collector, mapping: {} });
}

function fromJson(cell: unknown): unknown {
  if (cell === "") return null;
  if (typeof cell !== "string" || !/^\s*[[{"]/.test(cell)) return cell;
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}
