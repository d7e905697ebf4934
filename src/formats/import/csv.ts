import type { ColumnMapping } from "../column-mapping.ts";
import type { ScenarioCollector } from "../scenario-collector.ts";
import { openCells } from "./open-cells.ts";
import { importPeerTable } from "./peer-tables.ts";
import { readTable } from "./read-table.ts";
import { importTable } from "./table-rows.ts";

interface CsvSource {
  readonly text: string;
  readonly collector: ScenarioCollector;
  readonly mapping: ColumnMapping;
  readonly delimiter?: string;
}

/** A table that follows a peer's rules, or ours. */
export function importCsv({ text, collector, mapping, delimiter }: CsvSource): void {
  const table = readTable({ text, collector, delimiter });
  if (importPeerTable(table, collector, mapping)) return;
  const opened = openCells(table, mapping, collector);
  importTable(opened.table, collector, opened.mapping);
}
