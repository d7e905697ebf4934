import { sql } from "kysely";
import { ServiceError } from "../../../contract/errors.ts";
import type { Queue } from "../../../contract/ports/queue.ts";
import type { Lease } from "../../../contract/ports/store.ts";
import type { Database, Writer } from "../../database.ts";
import { fromPostgresError } from "../../drivers/postgres-error.ts";
import { registerWorker } from "../../host.ts";
import { isHeldBy, ready, runIsActive } from "../../queries/conditions.ts";
import { closeRemainingAttempts } from "../../queries/run-lifecycle.ts";
import { renewLeases, reclaimAttempts, reclaimFromDeadWorkers, type ReclaimOptions } from "../leases/leases.ts";
import { createRoundRobin } from "../leases/fair-share.ts";
import type { AttemptWrites } from "./attempt-writes.ts";
import { claimJobs, hasJob, repairJobs, reclaimLostJobs } from "./claim.ts";
import { readNow } from "./clock.ts";
import { lockAttempts } from "./lock-attempts.ts";
import { jobQueue, type Jobs } from "./jobs.ts";

interface BossQueueOptions extends ReclaimOptions {
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
  /** Reclaims the attempts of dead workers of this host and lets pg-boss look for silent workers elsewhere. */
  sweep(): Promise<number>;
}

/**
 * A queue dispatched by pg-boss. Its jobs say which worker has which attempt; the attempt rows, with their fences, are
 * authoritative.
 */
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
  const order = createRoundRobin();
  /** When pg-boss last looked for silent workers, by the clock of the database. Infinity: not yet. */
  let supervisedAt = Number.POSITIVE_INFINITY;

  async function sweep(alsoReconcile = false): Promise<number> {
    // A suspended server answers only after it resumes.
    const now = await write(readNow);
    const began = performance.now();
    const markSupervised = (): void => void (supervisedAt = now + performance.now() - began);
    try {
      // This process, the server or the host was suspended, or the server unreachable: no heartbeat could arrive, so
      // live workers get time to send one.
      if (now - supervisedAt > leaseMs / 2) await write(jobs.touchAll);
      await jobs.supervise();
      const count = await reclaimAll(alsoReconcile);
      markSupervised();
      return count;
    } catch (error) {
      if (!(fromPostgresError(error) instanceof ServiceError)) markSupervised();
      throw error;
    }
  }

  async function reclaimAll(alsoReconcile: boolean): Promise<number> {
    const count = await write(async (writer) => {
      const dead = await reclaimFromDeadWorkers(writer, { host, pid, ranOutOfMemory });
      await jobs.requeue(
        writer,
        dead.filter(({ state }) => state === "ready").map(({ id, run_id }) => ({ attemptId: id, runId: run_id })),
      );
      const lost = await reclaimLostJobs(writer, jobs);
      await closeRemainingAttempts(writer, { dispatch: { withdraw: jobs.complete }, limit: closedInOneSweep });
      if (alsoReconcile) await reconcile(writer, jobs);
      return dead.length + lost.length;
    });
    if (count > 0) announce();
    return count;
  }

  return {
    claim(options) {
      registerWorker(options.worker);
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

interface SweepOptions {
  /** Looks for silent or dead workers. Interval 0: never. */
  readonly sweep: () => Promise<unknown>;
  readonly sweepMs: number;
  /** Compares jobs with rows. */
  readonly reconcile: () => Promise<unknown>;
  readonly reconcileMs: number;
  readonly onError: (error: unknown) => void;
}

/** Runs both repeatedly, each with a pause after every run. */
export function startSweeps(options: SweepOptions): { stop(): Promise<void> } {
  const running = [every(options.sweepMs, options.sweep), every(options.reconcileMs, options.reconcile)];

  function every(ms: number, work: () => Promise<unknown>): { stop(): Promise<void> } {
    let timer: NodeJS.Timeout | undefined;
    let underWay: Promise<unknown> = Promise.resolve();
    let stopped = ms <= 0;
    const next = (): void => {
      // Jitter keeps processes that started together from sweeping together.
      if (!stopped) timer = setTimeout(run, ms * (0.8 + 0.4 * Math.random())).unref();
    };
    const run = (): void => {
      underWay = work().catch(options.onError).finally(next);
    };
    next();
    return {
      async stop() {
        stopped = true;
        clearTimeout(timer);
        await underWay;
      },
    };
  }

  return {
    async stop() {
      await Promise.all(running.map((one) => one.stop()));
    },
  };
}

interface Renewal {
  readonly worker: string;
  readonly leases: readonly Lease[];
  readonly leaseMs: number;
}

/** A lease is kept only with its job: one that pg-boss has given up is reclaimed here too, and reported as lost. */
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
    await repairJobs(writer, jobs, await reclaimAttempts(writer, isHeldBy(lease)));
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

/** Repaired per pass, so that no pass locks its rows for long. The next pass continues. */
const batch = 2_000;

/** Compares jobs with attempt rows. The rows win: a lost job is created again, a needless one is ended. */
async function reconcile(writer: Writer, jobs: Jobs): Promise<{ requeued: number; ended: number }> {
  const lost = await writer
    .selectFrom("attempt")
    .where("state", "=", ready)
    .where(runIsActive)
    .where(({ not }) => not(hasJob("< 'completed'")))
    .select(["id", "run_id", "available_at"])
    .limit(batch)
    // Rows locked by a concurrent transaction are left to it.
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
