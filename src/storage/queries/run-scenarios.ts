import { setImmediate } from "node:timers/promises";
import type { Scenario } from "../../contract/scenario.ts";
import type { LongReads, Reader } from "../database.ts";
import { fromJsonText } from "../json-text.ts";

const pageSize = 200;
/** As many as are read in this thread before another is started for the rest. */
const scenariosHere = 2_000;

/** The scenarios of a run, in order. Read in pages: a suite of thousands would otherwise be one long step. */
export async function scenariosOfRun({ reader, longReader = reader }: LongReads, id: string): Promise<Scenario[]> {
  const scenarios: Scenario[] = [];
  let page = await definitionsFrom(reader, id, 0);
  for (;;) {
    for (const { definition } of page) scenarios.push(fromJsonText<Scenario>(definition));
    const last = page.at(-1);
    if (!last || page.length < pageSize) return scenarios;
    await setImmediate();
    page = await definitionsFrom(scenarios.length < scenariosHere ? reader : longReader, id, last.scenario_index + 1);
  }
}

function definitionsFrom(
  reader: Reader,
  id: string,
  from: number,
): Promise<{ scenario_index: number; definition: string }[]> {
  return reader
    .selectFrom("run_scenario")
    .where("run_id", "=", id)
    .where("scenario_index", ">=", from)
    .orderBy("scenario_index")
    .select(["scenario_index", "definition"])
    .limit(pageSize)
    .execute();
}
