import { compact } from "../../../base/compact.ts";
import { sql } from "kysely";
import type { Pool } from "pg";
import { fromKysely, PgBoss } from "pg-boss";
import type { Writer } from "../../tables/database.ts";

/** The pg-boss queue of slices, and the one for slices that worker after worker died on. */
const sliceQueue = "rehearsal-slice";
const deadQueue = "rehearsal-slice-dead";

export const workChannel = "rehearsal_work";
/** Prefix of a notification about a cancelled run, followed by its id. */
export const cancelNotice = "cancel ";

/** The most attempts of a slice. */
const largestSlice = 32;
/** A run has one slice for so many of its concurrent attempts, and one more for when another is at its end. */
const attemptsPerSlice = 8;
/** How often a worker may die on the same slice. */
const mostDeaths = 100;

/** A part of a run's work: the worker that fetches it may claim `size` attempts of the run. */
export interface Slice {
  readonly id: string;
  /** How often it was fetched before. A later fetch by another worker makes this one void. */
  readonly retryCount: number;
  readonly runId: string;
  readonly size: number;
  readonly priority: number;
  /** How many more slices its first claim sends. */
  readonly more: number;
}

export type NewSlice = Omit<Slice, "id" | "retryCount">;

interface SlicedRun {
  readonly id: string;
  readonly priority: number;
  readonly attempts: number;
  readonly concurrency: number;
}

/** The first slice of a run. Each slice is followed by another of the same size until the run has no attempt left. */
export function firstSlice({ id, priority, attempts, concurrency }: SlicedRun): NewSlice {
  const most = 1 + Math.ceil(concurrency / attemptsPerSlice);
  const size = Math.min(largestSlice, Math.max(attemptsPerSlice, Math.ceil(attempts / most)));
  return { runId: id, size, priority, more: Math.min(most, Math.ceil(attempts / size)) - 1 };
}

/** Slices needed for this many free places. */
export const slicesFor = (attempts: number): number => Math.ceil(attempts / attemptsPerSlice);

export interface FetchOptions {
  readonly limit: number;
  /** Only of runs of which no worker has a slice. */
  readonly newRuns?: boolean;
  readonly minPriority?: number;
}

/** The slices that pg-boss hands out. The attempt rows say what is done; a slice only says who may take more of it. */
export interface Slices {
  /** Part of the transaction that makes the work, and announced to all workers when it commits. */
  send(writer: Writer, slices: readonly NewSlice[]): Promise<void>;
  /** Takes waiting slices: highest priority first, then the oldest. */
  fetch(options: FetchOptions): Promise<Slice[]>;
  /** Renews slices. Returns the ids of those that are still held. */
  touch(writer: Writer, slices: readonly Slice[]): Promise<ReadonlySet<string>>;
  /** Ends slices. Returns the ids of those that were still held. */
  complete(writer: Writer, slices: readonly Slice[]): Promise<ReadonlySet<string>>;
  /** Makes the slices of a dead worker available at once. */
  fail(ids: readonly string[]): Promise<void>;
  /** Lets pg-boss find slices of silent workers, and run its maintenance. */
  supervise(): Promise<void>;
  /** Runs with a slice that worker after worker died on. Each is reported again a minute later, until it has ended. */
  dead(hasEnded: (runId: string) => Promise<boolean>): Promise<string[]>;
  /** Notifies all workers of a cancelled run when the transaction commits. */
  announceCancel(writer: Writer, runId: string): Promise<void>;
  stop(): Promise<void>;
}

interface SlicesOptions {
  readonly pool: Pool;
  /** Seconds after which pg-boss considers a silent worker dead. Its minimum is 10. */
  readonly heartbeatSeconds: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Starts pg-boss on a database, installing its schema if necessary. Callers that may start together hold the start
 * lock.
 */
export async function startSlices({ pool, heartbeatSeconds, onError }: SlicesOptions): Promise<Slices> {
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
    await boss.start();
    await createQueues(boss, heartbeatSeconds);
  } catch (error) {
    // Its timers would keep the process alive.
    await stop();
    throw error;
  }

  return {
    async send(writer, slices) {
      if (slices.length === 0) return;
      const jobs = slices.map(({ runId, size, priority, more }) => ({
        data: { run_id: runId, size, priority, more },
        priority,
        group: { id: runId },
      }));
      await boss.insert(sliceQueue, jobs, { db: fromKysely(writer) });
      await sql`select pg_notify(${workChannel}, '')`.execute(writer);
    },
    async fetch({ limit, newRuns = false, ...range }) {
      const options = compact({ batchSize: limit, groupConcurrency: newRuns ? 1 : undefined, ...range });
      const jobs = await boss.fetch<SliceData>(sliceQueue, options);
      return jobs.map(({ id, retryCount, data: { run_id: runId, ...slice } }) => ({ id, retryCount, runId, ...slice }));
    },
    async touch(writer, slices) {
      if (slices.length === 0) return new Set();
      return settledIn(await boss.touch(sliceQueue, slices.map(toAttempt), { db: fromKysely(writer) }));
    },
    async complete(writer, slices) {
      if (slices.length === 0) return new Set();
      return settledIn(await boss.complete(sliceQueue, slices.map(toAttempt), null, { db: fromKysely(writer) }));
    },
    async fail(ids) {
      if (ids.length > 0) await boss.fail(sliceQueue, [...ids]);
    },
    supervise: () => boss.supervise(sliceQueue),
    async dead(hasEnded) {
      await boss.supervise(deadQueue);
      const active: string[] = [];
      for (const job of await boss.fetch<SliceData>(deadQueue, { batchSize: 100 })) {
        if (await hasEnded(job.data.run_id)) await boss.complete(deadQueue, job);
        else active.push(job.data.run_id);
      }
      return [...new Set(active)];
    },
    async announceCancel(writer, runId) {
      await sql`select pg_notify(${workChannel}, ${cancelNotice + runId})`.execute(writer);
    },
    stop,
  };
}

interface SliceData extends Omit<NewSlice, "runId"> {
  readonly run_id: string;
}

async function createQueues(boss: PgBoss, heartbeatSeconds: number): Promise<void> {
  // A run may wait for a worker for as long as it takes.
  const common = { retryDelay: 0, retentionSeconds: 10 * 365 * 86_400, deleteAfterSeconds: 60 };
  await createQueue(boss, deadQueue, { ...common, expireInSeconds: 60, retryLimit: 1_000_000 });
  const working = { heartbeatSeconds, expireInSeconds: 86_399, retryLimit: mostDeaths, deadLetter: deadQueue };
  await createQueue(boss, sliceQueue, { ...common, ...working });
  // Loads the settings of both queues once, so that no transaction has to wait for a second connection to read them.
  for (const queue of [deadQueue, sliceQueue]) await boss.fetch(queue, { minPriority: 1_000_000 });
}

async function createQueue(boss: PgBoss, name: string, options: Parameters<PgBoss["createQueue"]>[1]): Promise<void> {
  await boss.createQueue(name, options);
  await boss.updateQueue(name, options);
}

const toAttempt = ({ id, retryCount }: Slice) => ({ id, retryCount });

const settledIn = (response: object): ReadonlySet<string> =>
  new Set((response as { readonly settled?: readonly string[] }).settled);
