import { scalarText } from "../records.ts";
import type { ScenarioCollector } from "../scenario-collector.ts";
import { fromSecond } from "./from-second.ts";
import type { Row, Table } from "./table.ts";

/** What the rows of our results have of the script that was followed. */
const script = new Set([
  "scenario_id",
  "turn",
  "turn_index",
  "interaction_id",
  "interaction_type",
  "user_message",
  "agent_reply",
  "reference_reply",
  "references",
  "reference_metadata",
  "generated_metadata",
  "checks",
]);

/** Results of a run as we write them, a row for each turn of each attempt: the first attempt at each scenario. Any other table as it is. */
export function firstAttempts(table: Table, collector: ScenarioCollector): Table {
  const isScored = table.names.some((name) => name === "scores" || name.startsWith("score."));
  if (!isScored || !["scenario_id", "attempt", "user_message"].every((name) => table.names.includes(name)))
    return table;
  const left = table.names.filter((name) => !script.has(name));
  collector.note("dropped", { line: 1 }, `results of the past run: ${left.join(", ")}`);
  const byScenario = Map.groupBy(table.rows, ({ cells }) => scalarText(cells["scenario_id"]));
  return {
    names: table.names.filter((name) => script.has(name)),
    rows: [...byScenario.values()].flatMap((rows) => firstOf(rows, collector)),
  };
}

function firstOf(rows: readonly Row[], collector: ScenarioCollector): Row[] {
  const [[first, ...own] = [], ...others] = Map.groupBy(rows, ({ cells }) => scalarText(cells["attempt"])).values();
  if (!first) return [];
  if (others.length > 0)
    collector.note("dropped", first.place, `the replies of ${fromSecond("attempt", others.length + 1)}`);
  return [first, ...own];
}
