import type { Reader, Writer } from "../tables/database.ts";
import { statement } from "./statement.ts";

export interface ProgressCounts {
  readonly attempts_done: number;
  readonly interactions_done: number;
  readonly interactions_failed: number;
}

const nothingDone: ProgressCounts = { attempts_done: 0, interactions_done: 0, interactions_failed: 0 };

/**
 * The progress of runs that have not ended: sums that every turn updates in its transaction, because adding up the
 * attempts of a large run would be slow. An ended run has its counts in its own row.
 */
export async function readProgress(
  database: Reader | Writer,
  runIds: readonly string[],
): Promise<(runId: string) => ProgressCounts> {
  if (runIds.length === 0) return () => nothingDone;
  const rows = await database
    .selectFrom("run_sequence")
    .where("run_id", "in", runIds)
    .select(["run_id", "attempts_done", "interactions_done", "interactions_failed"])
    .execute();
  const counts = new Map(rows.map(({ run_id, ...sums }) => [run_id, sums]));
  return (runId) => counts.get(runId) ?? nothingDone;
}

const addToSums = statement<{ attempts_done: number; attempts_total: number | null }>(
  `update run_sequence set last = last + 1, attempts_done = attempts_done + ?,
      interactions_done = interactions_done + ?, interactions_failed = interactions_failed + ?
    where run_id = ?
    returning attempts_done, (select run.attempts_total from run
      where run.id = run_sequence.run_id and run.state in ('queued', 'running')) as attempts_total`,
);

/**
 * Adds to the progress of a run, in the transaction that stores the work, and takes the next turn number.
 * `surelyGoesOn` is true when the run certainly has unfinished attempts; for a run being cancelled it is false.
 */
export async function addProgress(
  writer: Writer,
  runId: string,
  added: ProgressCounts,
): Promise<{ surelyGoesOn: boolean }> {
  const [sums] = await addToSums(writer, [
    added.attempts_done,
    added.interactions_done,
    added.interactions_failed,
    runId,
  ]);
  return { surelyGoesOn: sums !== undefined && sums.attempts_done < (sums.attempts_total ?? 0) };
}
