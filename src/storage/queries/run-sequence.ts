import type { Writer } from "../database.ts";

/**
 * Takes a number of the run and holds the run until the transaction ends. So numbers are committed in their order, and
 * what the next statement reads about the run is what the one before has left: on a database with many writers, a turn
 * and a cancellation, or the ends of two attempts, follow each other instead of missing each other. Every transaction
 * on a run begins here, which also means that no two of them wait for each other.
 */
export async function holdRun(writer: Writer, runId: string): Promise<void> {
  await writer
    .updateTable("run_sequence")
    .where("run_id", "=", runId)
    .set((update) => ({ last: update("last", "+", 1) }))
    .execute();
}
