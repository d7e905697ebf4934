import type { ColumnMapping } from "../column-mapping.ts";
import { unpackJson } from "../unpack-json.ts";
import type { ScenarioCollector } from "../scenario-collector.ts";
import { importDeepEval } from "./deepeval.ts";
import type { Importer } from "./importer.ts";
import { importInspect } from "./inspect.ts";
import { importLangfuse } from "./langfuse.ts";
import { importLangSmith } from "./langsmith.ts";
import { importAttackTable } from "./promptfoo/attack-table.ts";
import { importResultTable } from "./promptfoo/result-table.ts";
import { importTestTable } from "./promptfoo/test-table.ts";
import { importRows } from "./rows.ts";
import type { Row, Table } from "./table.ts";
import { importTraces } from "./traces.ts";

/** Reads a table that follows another tool's rules; false when it is nobody's. */
export function importPeerTable(table: Table, collector: ScenarioCollector, mapping: ColumnMapping): boolean {
  const has = (...names: readonly string[]): boolean => names.every((name) => table.names.includes(name));
  if (table.names.some((name) => /^__expected\d*$/.test(name))) {
    importTestTable(table, collector, mapping);
    return true;
  }
  if (mapping.user === undefined && importResultTable(table, collector, mapping)) return true;
  if (mapping.user === undefined && importAttackTable(table, collector)) return true;
  if (importTraces(table, collector, mapping)) return true;
  // A mapping means that somebody knows better; our own tables have our own names.
  const known = mapping.user !== undefined || has("user_message");
  const found = known ? undefined : peers.find(({ holds }) => holds(has));
  if (!found) return false;
  const values = table.rows.map(({ place, cells }) => ({ place, value: toItem(cells, found.texts) }));
  found.importer({ document: { syntax: "jsonl", values, notes: [] }, collector, mapping });
  return true;
}

interface Peer {
  readonly importer: Importer;
  readonly holds: (has: (...names: readonly string[]) => boolean) => boolean;
  /** Columns of plain text. The others hold JSON where they hold more than a text. */
  readonly texts: readonly string[];
}

const peers: readonly Peer[] = [
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
  // Braintrust's tables hold in JSON what its lines do.
  { importer: importRows, holds: (has) => has("input", "expected", "metadata"), texts: [] },
];

function toItem(cells: Row["cells"], texts: readonly string[]): Record<string, unknown> {
  const toValue = (name: string, cell: unknown): unknown => {
    if (cell === "") return null;
    return texts.includes(name) ? cell : unpackJson(cell);
  };
  return Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, toValue(name, cell)]));
}
