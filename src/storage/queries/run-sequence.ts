import type { Lease } from "../../contract/store.ts";
import type { Writer } from "../database.ts";
import { statement } from "./statement.ts";

export interface RunNumber {
  readonly run_id: string;
  readonly seq: number;
}

/**
 * Takes the run's next number and holds the run until the transaction ends. So numbers are committed in their order, and
 * what the next statement reads about the run is what the one before has left: on a database with many writers, a turn
 * and a cancellation, or the ends of two attempts, follow each other instead of missing each other. Every transaction
 * on a run begins here, which also means that no two of them wait for each other. Null when there is no such run.
 */
export async function holdRun(writer: Writer, runId: string): Promise<RunNumber | null> {
  const row = await writer
    .updateTable("run_sequence")
    .where("run_id", "=", runId)
    .set((update) => ({ last: update("last", "+", 1) }))
    .returning("last")
    .executeTakeFirst();
  return row ? { run_id: runId, seq: row.last } : null;
}

const nextOfAttempt = statement<{ run_id: string; last: number }>(
  `update run_sequence set last = last + 1
    where run_id = (select run_id from attempt where id = ?) returning run_id, last`,
);

/** The same for the run of an attempt. */
export async function holdRunOf(writer: Writer, { attempt_id }: Lease): Promise<RunNumber | null> {
  const [row] = await nextOfAttempt(writer, [attempt_id]);
  return row ? { run_id: row.run_id, seq: row.last } : null;
}
