import { scalarText } from "../../records.ts";
import type { ScenarioCollector } from "../../scenario-collector.ts";
import { importTable } from "../table-rows.ts";
import type { Table } from "../table.ts";

const kinds = ["Plugin", "Strategy"];
const said = ["Prompt", "Response"];

/** The report on a red team as promptfoo writes it. False when it is none. What is called `Target` there is who was asked, and no answer. */
export function importAttackTable({ names, rows }: Table, collector: ScenarioCollector): boolean {
  if (![...kinds, ...said].every((name) => names.includes(name))) return false;
  const left = names.filter((name) => !kinds.includes(name) && !said.includes(name));
  if (left.length > 0) collector.note("dropped", { line: 1 }, `results of the past run: ${left.join(", ")}`);
  const attacks = rows.map(({ place, cells }) => ({
    place,
    cells: { ...cells, tags: JSON.stringify(kinds.map((name) => scalarText(cells[name])).filter(Boolean)) },
  }));
  importTable({ names: [...said, "tags"], rows: attacks }, collector, {
    user: "Prompt",
    agent_reply: "Response",
    tags: "tags",
  });
  return true;
}
