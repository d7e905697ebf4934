import { finalStates, RunState } from "../../contract/schemas/run.ts";
import type { Workload } from "../../contract/ports/store.ts";
import type { Reader } from "../tables/database.ts";

const unfinished = RunState.options.filter((state) => !finalStates.has(state));

/** Counts runs by state, and the attempts of those that have not ended. */
export async function readWorkload(reader: Reader): Promise<Workload> {
  const ofActive = reader
    .selectFrom("attempt")
    .where("run_id", "in", (inner) => inner.selectFrom("run").where("state", "in", unfinished).select("id"));
  const [runs, attempts, workers] = await Promise.all([
    reader
      .selectFrom("run")
      .groupBy("state")
      .select(({ fn }) => ["state", fn.countAll().as("count")])
      .execute(),
    ofActive
      .groupBy("state")
      .select(({ fn }) => ["state", fn.countAll().as("count")])
      .execute(),
    ofActive
      .where("state", "=", "running")
      .select(({ fn }) => fn.count("lease_owner").distinct().as("count"))
      .executeTakeFirst(),
  ]);
  return {
    runs: new Map(runs.map(({ state, count }) => [state, Number(count)])),
    attempts: new Map(attempts.map(({ state, count }) => [state, Number(count)])),
    workers: Number(workers?.count ?? 0),
  };
}
