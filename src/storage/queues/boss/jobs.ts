import { sql } from "kysely";
import type { Pool } from "pg";
import { fromKysely, PgBoss } from "pg-boss";
import { hashText } from "../../../base/hash.ts";
import type { Writer } from "../../database.ts";

/** The pg-boss queue that dispatches attempts. */
export const jobQueue = "rehearsal-attempt";
export const workChannel = "rehearsal_work";
/** Prefix of a notification about a cancelled run, followed by its id. */
export const cancelNotice = "cancel ";

/** Jobs per statement. */
const chunkSize = 5_000;

interface Requeued {
  readonly runId: string;
  readonly attemptId: string;
  /** Milliseconds since 1970 on the clock of the database; 0 means at once. */
  readonly availableAt?: number;
}

/**
 * The jobs of pg-boss, one for each unfinished attempt, with the attempt's id. Every change is made in the transaction
 * that changes the attempt. The attempt's row is authoritative, never the job.
 */
export interface Jobs {
  insert(writer: Writer, work: { readonly runId: string; readonly attemptIds: readonly string[] }): Promise<void>;
  /** Replaces jobs by new waiting ones, ahead of the jobs of their run that were never started. */
  requeue(writer: Writer, work: readonly Requeued[]): Promise<void>;
  /** Takes waiting jobs of a run and returns their attempt ids. Jobs without a matching attempt id are deleted. */
  fetch(writer: Writer, work: { readonly runId: string; readonly limit: number }): Promise<readonly string[]>;
  /** Renews active jobs and returns the ids of those that are still active. */
  touch(writer: Writer, ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Renews all active jobs of all workers. */
  touchAll(writer: Writer): Promise<void>;
  /** Ends jobs, including waiting ones. */
  complete(writer: Writer, ids: readonly string[]): Promise<void>;
  /** Notifies all workers of a cancelled run when the transaction commits. */
  announceCancel(writer: Writer, runId: string): Promise<void>;
  /** Lets pg-boss find jobs of silent workers, and run its maintenance. */
  supervise(): Promise<void>;
  stop(): Promise<void>;
}

interface JobsOptions {
  readonly pool: Pool;
  /** Seconds after which pg-boss considers a silent worker dead. Its minimum is 10. */
  readonly heartbeatSeconds: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Starts pg-boss on a database, installing its schema if necessary. Callers that may start together hold the start
 * lock.
 */
export async function startJobs({ pool, heartbeatSeconds, onError }: JobsOptions): Promise<Jobs> {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => pool.query(text, values as unknown[] | undefined) },
    supervise: false,
    schedule: false,
    monitorIntervalSeconds: 1,
    maintenanceIntervalSeconds: 60,
  });
  boss.on("error", onError);
  const stop = (): Promise<void> => boss.stop({ close: false, graceful: false });
  try {
    await makeReady(boss, { pool, heartbeatSeconds });
  } catch (error) {
    // Its timers would keep the process alive.
    await stop();
    throw error;
  }

  const insert: Jobs["insert"] = async (writer, { runId, attemptIds }) => {
    await insertJobs(
      writer,
      attemptIds.map((attemptId) => ({ runId, attemptId })),
    );
  };

  async function insertJobs(writer: Writer, work: readonly Requeued[]): Promise<void> {
    for (let start = 0; start < work.length; start += chunkSize) {
      const jobs = work.slice(start, start + chunkSize).map(toJob);
      await boss.insert(jobQueue, jobs, { db: fromKysely(writer) });
    }
    // Delivered when the transaction commits; PostgreSQL merges several in one transaction.
    if (work.length > 0) await sql`select pg_notify(${workChannel}, '')`.execute(writer);
  }

  return {
    insert,
    async requeue(writer, work) {
      if (work.length === 0) return;
      const ids = work.map((job) => job.attemptId);
      await boss.deleteJob(jobQueue, ids, { db: fromKysely(writer) });
      await insertJobs(writer, work);
      // Oldest first: at the end of the queue, an attempt of a dead worker would wait for the whole run.
      await sql`update pgboss.job set created_on = to_timestamp(0)
        where name = ${jobQueue} and id = any(${ids}::uuid[])`.execute(writer);
    },
    async fetch(writer, { runId, limit }) {
      const partition = partitionOf(runId);
      const db = fromKysely(writer);
      const options = { batchSize: limit, minPriority: partition, maxPriority: partition, db };
      const fetched = await boss.fetch<{ attempt_id?: unknown }>(jobQueue, options);
      const strays = fetched.filter((job) => job.data?.attempt_id !== job.id).map((job) => job.id);
      if (strays.length > 0) await boss.deleteJob(jobQueue, strays, { db });
      return fetched.map((job) => job.id).filter((id) => !strays.includes(id));
    },
    async touch(writer, ids) {
      if (ids.length === 0) return new Set();
      const { settled } = (await boss.touch(jobQueue, [...ids], { db: fromKysely(writer) })) as { settled?: string[] };
      return new Set(settled);
    },
    async touchAll(writer) {
      await sql`update pgboss.job set heartbeat_on = now()
        where name = ${jobQueue} and state = 'active'`.execute(writer);
    },
    async complete(writer, ids) {
      for (let start = 0; start < ids.length; start += chunkSize) {
        const chunk = ids.slice(start, start + chunkSize);
        await boss.complete(jobQueue, chunk, null, { db: fromKysely(writer), includeQueued: true });
      }
    },
    async announceCancel(writer, runId) {
      await sql`select pg_notify(${workChannel}, ${cancelNotice + runId})`.execute(writer);
    },
    supervise: () => boss.supervise(jobQueue),
    stop,
  };
}

async function makeReady(
  boss: PgBoss,
  { pool, heartbeatSeconds }: Pick<JobsOptions, "pool" | "heartbeatSeconds">,
): Promise<void> {
  await boss.start();
  const settings = {
    heartbeatSeconds,
    // A dead worker is not the job's fault; the attempt's own row counts its tries.
    retryLimit: 1_000_000,
    retryDelay: 0,
    expireInSeconds: 86_399,
    retentionSeconds: 30 * 86_400,
    deleteAfterSeconds: 60,
  };
  await boss.createQueue(jobQueue, settings);
  await boss.updateQueue(jobQueue, settings);
  // A job keeps the heartbeat interval it was created with: jobs of an earlier process may have a different one.
  await pool.query(
    `update pgboss.job set heartbeat_seconds = $1
      where name = $2 and state < 'completed' and heartbeat_seconds is distinct from $1`,
    [heartbeatSeconds, jobQueue],
  );
  // Loads the queue's settings once, so that no transaction has to wait for a second connection to read them.
  await boss.fetch(jobQueue, { minPriority: -1, maxPriority: -1 });
}

function toJob({ runId, attemptId, availableAt = 0 }: Requeued) {
  return {
    id: attemptId,
    data: { attempt_id: attemptId },
    priority: partitionOf(runId),
    ...(availableAt > 0 && { startAfter: new Date(availableAt) }),
  };
}

/**
 * The `priority` under which pg-boss keeps the jobs of one run. `fetch` can select a range of priorities by index, but
 * not a group, so each run has its own priority. The order of runs is decided by `fairShares`, which knows the run's
 * real priority.
 */
function partitionOf(runId: string): number {
  return hashText(runId) & 0x7fffffff;
}
