import { sql } from "kysely";
import type { Writer } from "../database.ts";
import { runIsActive } from "../queries/conditions.ts";
import { ready } from "../queries/states.ts";
import { hasJob } from "./claim.ts";
import { jobQueue, type Jobs } from "./jobs.ts";

/** Put right in one pass, so that no pass holds its rows for long. The next one goes on. */
const batch = 2_000;

/** Compares the two copies of what is to be done. The rows win: a lost job is made again, one for nothing is ended. */
export async function reconcile(writer: Writer, jobs: Jobs): Promise<{ requeued: number; ended: number }> {
  const lost = await writer
    .selectFrom("attempt")
    .where("state", "=", ready)
    .where(runIsActive)
    .where(({ not }) => not(hasJob("< 'completed'")))
    .select(["id", "run_id", "available_at"])
    .limit(batch)
    // Another transaction may be making or ending one of these right now: it is left to it.
    .forUpdate()
    .skipLocked()
    .execute();
  await jobs.requeue(
    writer,
    lost.map((row) => ({ attemptId: row.id, runId: row.run_id, availableAt: row.available_at })),
  );
  const { rows: idle } = await sql<{ id: string }>`
    select job.id from pgboss.job
    where job.name = ${sql.lit(jobQueue)} and job.state < 'completed'
      and not exists (select 1 from attempt where attempt.id = job.id::text and attempt.state in ('ready', 'running'))
    limit ${batch}`.execute(writer);
  const ids = idle.map((row) => row.id);
  await jobs.complete(writer, ids);
  return { requeued: lost.length, ended: ids.length };
}
