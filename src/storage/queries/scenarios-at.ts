import type { Scenario } from "../../contract/schemas/scenario.ts";
import type { Reader } from "../database.ts";
import { fromJsonText } from "../json-text.ts";

/** Some scenarios of a run, in the order asked for. */
export async function scenariosAt(reader: Reader, runId: string, indexes: readonly number[]): Promise<Scenario[]> {
  if (indexes.length === 0) return [];
  const rows = await reader
    .selectFrom("run_scenario")
    .where("run_id", "=", runId)
    .where("scenario_index", "in", indexes)
    .select(["scenario_index", "definition"])
    .execute();
  const found = new Map(rows.map((row) => [row.scenario_index, row.definition]));
  return indexes.flatMap((index) => {
    const definition = found.get(index);
    return definition === undefined ? [] : [fromJsonText<Scenario>(definition)];
  });
}

export async function countScenarios(reader: Reader, runId: string): Promise<number> {
  const row = await reader
    .selectFrom("run_scenario")
    .where("run_id", "=", runId)
    .select(({ fn }) => fn.countAll<number | string>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
