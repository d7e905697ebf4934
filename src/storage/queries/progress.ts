import { sql } from "kysely";
import type { Reader, Writer } from "../database.ts";
import { done } from "./states.ts";

export interface DoneCounts {
  readonly attempts_done: number;
  readonly interactions_done: number;
  readonly interactions_failed: number;
}

const nothingDone: DoneCounts = { attempts_done: 0, interactions_done: 0, interactions_failed: 0 };

/**
 * How far runs have come, summed over their attempts. Each attempt counts its own turns, in the transaction that stores
 * the turn: counting the turns at every look would read all of them, and the run's own row can be large to rewrite. A run
 * that has ended carries its counts in its own row.
 */
export async function countDone(
  database: Reader | Writer,
  runIds: readonly string[],
): Promise<(runId: string) => DoneCounts> {
  if (runIds.length === 0) return () => nothingDone;
  const rows = await database
    .selectFrom("attempt")
    .where("run_id", "in", runIds)
    .groupBy("run_id")
    .select((select) => [
      "run_id",
      sql<number>`sum(case when state = ${done} then 1 else 0 end)`.as("attempts_done"),
      select.fn.sum<number>("interactions_done").as("interactions_done"),
      select.fn.sum<number>("interactions_failed").as("interactions_failed"),
    ])
    .execute();
  const counts = new Map(
    rows.map((row) => [
      row.run_id,
      {
        attempts_done: Number(row.attempts_done),
        interactions_done: Number(row.interactions_done),
        interactions_failed: Number(row.interactions_failed),
      },
    ]),
  );
  return (runId) => counts.get(runId) ?? nothingDone;
}
