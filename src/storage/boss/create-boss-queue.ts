import { sql } from "kysely";
import { ServiceError } from "../../contract/errors.ts";
import type { Queue } from "../../contract/ports/queue.ts";
import type { Lease } from "../../contract/ports/store.ts";
import type { Database, Writer } from "../database.ts";
import { toStorageError } from "../drivers/postgres-error.ts";
import { renewLeases } from "../leases/renew.ts";
import { createServingOrder } from "../leases/serving-order.ts";
import { takeBack, takeBackFromTheDead, type TakeBackOptions } from "../leases/take-back.ts";
import { rememberWorker } from "../leases/worker-processes.ts";
import { closeStopped } from "../queries/close-attempts.ts";
import { isHeldBy, runIsActive } from "../queries/conditions.ts";
import { ready } from "../queries/states.ts";
import type { AttemptWrites } from "./attempt-writes.ts";
import { claimJobs, hasJob, putRight, takeBackLost } from "./claim.ts";
import { readNow } from "./database-clock.ts";
import { lockAttempts } from "./hold-attempts.ts";
import { jobQueue, type Jobs } from "./jobs.ts";

interface BossQueueOptions extends TakeBackOptions {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly writes: Pick<AttemptWrites, "finish" | "release">;
  readonly leaseMs: number;
  readonly announce: () => void;
  readonly onWork: Queue["onWork"];
  readonly onCancel: Queue["onCancel"];
}

const closedInOneSweep = 5_000;

interface BossQueue extends Queue {
  /** Takes back what dead workers of this host held and lets pg-boss look for silent ones elsewhere. */
  sweep(): Promise<number>;
}

/** A queue that pg-boss dispatches. Its jobs say who works on what; the attempt rows, with their fences, say what is true. */
export function createBossQueue({
  database,
  jobs,
  writes,
  leaseMs,
  announce,
  onWork,
  onCancel,
  host,
  pid,
  ranOutOfMemory,
}: BossQueueOptions): BossQueue {
  const { write } = database;
  const order = createServingOrder();
  /** When silent workers were last looked for, by the clock of the database. Infinity: not yet. */
  let lookedAt = Number.POSITIVE_INFINITY;

  async function sweep(alsoReconcile = false): Promise<number> {
    // A server that stood still answers only when it goes on.
    const now = await write(readNow);
    const began = performance.now();
    const looked = (): void => void (lookedAt = now + performance.now() - began);
    try {
      // This process, the server or the whole host stood still, or the server was away: nobody could be heard meanwhile, and
      // whoever lives gets the time for it.
      if (now - lookedAt > leaseMs / 2) await write(jobs.touchAll);
      await jobs.supervise();
      const count = await takeBackAll(alsoReconcile);
      looked();
      return count;
    } catch (error) {
      if (!(toStorageError(error) instanceof ServiceError)) looked();
      throw error;
    }
  }

  async function takeBackAll(alsoReconcile: boolean): Promise<number> {
    const count = await write(async (writer) => {
      const dead = await takeBackFromTheDead(writer, { host, pid, ranOutOfMemory });
      await jobs.requeue(
        writer,
        dead.filter(({ state }) => state === "ready").map(({ id, run_id }) => ({ attemptId: id, runId: run_id })),
      );
      const lost = await takeBackLost(writer, jobs);
      await closeStopped(writer, { dispatch: { withdraw: jobs.complete }, limit: closedInOneSweep });
      if (alsoReconcile) await reconcile(writer, jobs);
      return dead.length + lost.length;
    });
    if (count > 0) announce();
    return count;
  }

  return {
    claim(options) {
      rememberWorker(options.worker);
      return write((writer) => claimJobs(writer, jobs, { options, leaseMs, order }));
    },
    heartbeat: (worker, leases) => write((writer) => renew(writer, jobs, { worker, leases, leaseMs })),
    async finish(lease, result) {
      const outcome = await writes.finish(lease, result);
      if (outcome.finished) announce();
      return outcome;
    },
    async release(lease, options) {
      await writes.release(lease, options);
      announce();
    },
    recover: () => sweep(true),
    sweep: () => sweep(),
    onWork,
    onCancel,
  };
}

interface Renewal {
  readonly worker: string;
  readonly leases: readonly Lease[];
  readonly leaseMs: number;
}

/** A lease is kept only with its job: one that pg-boss has given up is given up here too, and told as lost. */
async function renew(writer: Writer, jobs: Jobs, { worker, leases, leaseMs }: Renewal): Promise<string[]> {
  if (leases.length === 0) return [];
  await lockAttempts(
    writer,
    leases.map((lease) => lease.attempt_id),
  );
  const lost = await renewLeases(writer, { worker, leases, until: (await readNow(writer)) + leaseMs });
  const kept = leases.filter((lease) => !lost.includes(lease.attempt_id));
  const touched = await jobs.touch(
    writer,
    kept.map((lease) => lease.attempt_id),
  );
  for (const lease of kept.filter(({ attempt_id }) => !touched.has(attempt_id))) {
    await putRight(writer, jobs, await takeBack(writer, isHeldBy(lease)));
    lost.push(lease.attempt_id);
  }
  await jobs.complete(writer, await cancelledAmong(writer, lost));
  return lost;
}

async function cancelledAmong(writer: Writer, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await writer
    .selectFrom("attempt")
    .where("id", "in", ids)
    .where("state", "=", "cancelled")
    .select("id")
    .execute();
  return rows.map((row) => row.id);
}

/** Put right in one pass, so that no pass holds its rows for long. The next one goes on. */
const batch = 2_000;

/** Compares the two copies of what is to be done. The rows win: a lost job is made again, one for nothing is ended. */
async function reconcile(writer: Writer, jobs: Jobs): Promise<{ requeued: number; ended: number }> {
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
