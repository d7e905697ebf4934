import { sql } from "kysely";
import type { Reader, Writer } from "../database.ts";
import { isInProcess } from "../in-process.ts";
import { statement } from "./statement.ts";
import { done } from "./states.ts";

export interface DoneCounts {
  readonly attempts_done: number;
  readonly interactions_done: number;
  readonly interactions_failed: number;
}

const nothingDone: DoneCounts = { attempts_done: 0, interactions_done: 0, interactions_failed: 0 };

/**
 * How far runs that are under way have come. Each attempt counts its own turns, in the transaction that stores the turn. A
 * server sums them up; a database in this process would hold everything else up meanwhile, so it keeps the sums as well. A
 * run that has ended carries its counts in its own row.
 */
export async function countDone(
  database: Reader | Writer,
  runIds: readonly string[],
): Promise<(runId: string) => DoneCounts> {
  if (runIds.length === 0) return () => nothingDone;
  const rows = isInProcess(database.getExecutor().adapter)
    ? await readSums(database, runIds)
    : await sumUp(database, runIds);
  const counts = new Map(rows.map(({ run_id, ...sums }) => [run_id, sums]));
  return (runId) => counts.get(runId) ?? nothingDone;
}

type RunCounts = DoneCounts & { readonly run_id: string };

function readSums(database: Reader | Writer, runIds: readonly string[]): Promise<RunCounts[]> {
  return database
    .selectFrom("run_sequence")
    .where("run_id", "in", runIds)
    .select(["run_id", "attempts_done", "interactions_done", "interactions_failed"])
    .execute();
}

async function sumUp(database: Reader | Writer, runIds: readonly string[]): Promise<RunCounts[]> {
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
  return rows.map((row) => ({
    run_id: row.run_id,
    attempts_done: Number(row.attempts_done),
    interactions_done: Number(row.interactions_done),
    interactions_failed: Number(row.interactions_failed),
  }));
}

const addToSums = statement<never>(
  `update run_sequence set attempts_done = attempts_done + ?, interactions_done = interactions_done + ?,
    interactions_failed = interactions_failed + ? where run_id = ?`,
);

/** Adds to the sums of a run, in the transaction that did what is added. */
export async function addDone(writer: Writer, runId: string, added: DoneCounts): Promise<void> {
  await addToSums(writer, [added.attempts_done, added.interactions_done, added.interactions_failed, runId]);
}
