import { setImmediate } from "node:timers/promises";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import type { LongReads, Reader } from "../database.ts";
import { fromJsonText } from "../json-text.ts";
import { createPageReader } from "./page-reader.ts";

const pageSize = 200;

/** The scenarios of a run, in order. Read in pages: a suite of thousands would otherwise be one long step. */
export async function scenariosOfRun(database: LongReads, id: string): Promise<Scenario[]> {
  const readPage = createPageReader(database);
  const scenarios: Scenario[] = [];
  let page = await readPage((from) => definitionsFrom(from, id, 0));
  for (;;) {
    for (const { definition } of page) scenarios.push(fromJsonText<Scenario>(definition));
    const last = page.at(-1);
    if (!last || page.length < pageSize) return scenarios;
    await setImmediate();
    page = await readPage((from) => definitionsFrom(from, id, last.scenario_index + 1));
  }
}

function definitionsFrom(
  reader: Reader,
  id: string,
  first: number,
): Promise<{ scenario_index: number; definition: string }[]> {
  return reader
    .selectFrom("run_scenario")
    .where("run_id", "=", id)
    .where("scenario_index", ">=", first)
    .orderBy("scenario_index")
    .select(["scenario_index", "definition"])
    .limit(pageSize)
    .execute();
}
