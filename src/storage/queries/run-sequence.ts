import type { Writer } from "../database.ts";

/**
 * Takes a number of the run and holds the run until the transaction ends. So numbers are committed in their order, and
 * what the next statement reads about the run is what the one before has left: on a database with many writers, a turn
 * and a cancellation, or the ends of two attempts, follow each other instead of missing each other. Every transaction
 * on a run begins here or with `holdAttempts`, which does the same for many, so no two of them wait for each other. A
 * turn on a database with one writer needs none of this.
 */
export async function holdRun(writer: Writer, runId: string): Promise<void> {
  await writer
    .updateTable("run_sequence")
    .where("run_id", "=", runId)
    .set((update) => ({ last: update("last", "+", 1) }))
    .execute();
}
