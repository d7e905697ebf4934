import { importTable } from "../tables/import-table.ts";
import { readTable } from "../tables/read-table.ts";
import { unpackCells } from "../tables/unpack-cells.ts";
import { exportScenarioCsv } from "../export/scenarios/rehearsal.ts";
import { defineFormat, type ScenarioFormat } from "../shared/define-format.ts";

/** Reads a table: by the conventions of another tool if its columns match, otherwise by ours. */
const tableReader = (delimiter?: string): ScenarioFormat["read"] => ({
  fromText({ text, rules, collector, mapping }) {
    const table = readTable({ text, collector, delimiter });
    if (rules.some((rule) => rule.read(table, { collector, mapping }))) return;
    const opened = unpackCells(table, mapping, collector);
    importTable(opened.table, collector, opened.mapping);
  },
});

export const csv = defineFormat({
  id: "csv",
  title: "CSV table (a row per turn, or per question)",
  label: "CSV table",
  extensions: ["csv"],
  isOwn: true,
  isDataset: true,
  takesMapping: true,
  read: tableReader(),
  write: exportScenarioCsv,
});

export const tsv = defineFormat({
  id: "tsv",
  title: "Tab-separated table",
  label: "Tab-separated table",
  extensions: ["tsv", "tab"],
  isDataset: true,
  takesMapping: true,
  read: tableReader("\t"),
});
