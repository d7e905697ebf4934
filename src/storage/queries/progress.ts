import type { Reader, Writer } from "../database.ts";
import { statement } from "./statement.ts";

export interface DoneCounts {
  readonly attempts_done: number;
  readonly interactions_done: number;
  readonly interactions_failed: number;
}

const nothingDone: DoneCounts = { attempts_done: 0, interactions_done: 0, interactions_failed: 0 };

/**
 * How far runs that are under way have come: sums that every turn adds to in the transaction that stores it, because adding up
 * the attempts of a large run takes as long as it is large. A run that has ended carries its counts in its own row.
 */
export async function countDone(
  database: Reader | Writer,
  runIds: readonly string[],
): Promise<(runId: string) => DoneCounts> {
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
 * Adds to the sums of a run, in the transaction that did what is added, and takes the number that was given to it. Tells
 * whether the run surely has attempts that are not over; one that is being cancelled has to be looked at.
 */
export async function addDone(writer: Writer, runId: string, added: DoneCounts): Promise<{ surelyGoesOn: boolean }> {
  const [sums] = await addToSums(writer, [
    added.attempts_done,
    added.interactions_done,
    added.interactions_failed,
    runId,
  ]);
  return { surelyGoesOn: sums !== undefined && sums.attempts_done < (sums.attempts_total ?? 0) };
}
