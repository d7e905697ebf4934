import type { ControlledTransaction } from "kysely";
import { ServiceError } from "../../contract/errors.ts";
import type { Database, WriteOptions, Writer } from "../database.ts";
import type { Tables } from "../schema.ts";

type Work<Result> = (writer: Writer) => Promise<Result>;

interface Job {
  readonly work: Work<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Outcome {
  readonly job: Job;
  readonly result: unknown;
}

export type GroupCommit = Pick<Database, "write" | "close">;

interface GroupCommitOptions {
  /** Begins a transaction, waiting for the lock if need be. */
  readonly begin: () => Promise<ControlledTransaction<Tables>>;
}

/** How long the first write waits for company, at least. */
const windowMs = 2;
/** A group that has run this long is committed; the rest wait for the next, so that nothing else is held up. */
const groupMs = 25;

/** From so many writes on a group was a crowd, and the next one is likely to be one too. */
const crowd = 4;
/** Nothing else runs while the disk is waited for, so in a crowd that may take a fourth of the time. */
const commitsApart = 3;
const longestWindowMs = 25;

/**
 * Lets writes that arrive together share one transaction and so one fsync. Each promise settles after the commit.
 * When one of them fails, all are undone and each is tried again by itself: failures are rare, and a savepoint around
 * every write would cost as much as the write.
 */
export function createGroupCommit({ begin }: GroupCommitOptions): GroupCommit {
  const waiting: Job[] = [];
  /** Those that come after all others of their group. */
  const lastOnes: Job[] = [];
  let flushing: Promise<void> | null = null;
  let closed = false;
  let gatherMs = windowMs;

  function schedule(): void {
    flushing ??= new Promise<void>((resolve) => setTimeout(resolve, gatherMs)).then(flush).finally(() => {
      flushing = null;
      if (waiting.length + lastOnes.length > 0) schedule();
    });
  }

  async function flush(): Promise<void> {
    const taken: Job[] = [];
    const until = performance.now() + groupMs;
    const next = (): Job | undefined => {
      const isOver = taken.length > 0 && performance.now() > until;
      const job = (isOver ? undefined : waiting.shift()) ?? lastOnes.shift();
      if (job) taken.push(job);
      return job;
    };
    let transaction;
    try {
      transaction = await begin();
    } catch (error) {
      for (const job of [...waiting.splice(0), ...lastOnes.splice(0)]) job.reject(error);
      return;
    }
    try {
      const { outcomes, commitMs } = await runGroup(transaction, next);
      const isCrowd = outcomes.length >= crowd;
      gatherMs = isCrowd ? Math.min(longestWindowMs, Math.max(windowMs, commitsApart * commitMs)) : windowMs;
      for (const { job, result } of outcomes) job.resolve(result);
    } catch (error) {
      await retryAlone(taken, error);
    }
  }

  async function retryAlone(jobs: readonly Job[], error: unknown): Promise<void> {
    const [only] = jobs;
    if (only && jobs.length === 1) return only.reject(error);
    for (const job of jobs) {
      try {
        job.resolve(await runAlone(await begin(), job));
      } catch (failure) {
        job.reject(failure);
      }
    }
  }

  return {
    write<Result>(work: Work<Result>, { last = false }: WriteOptions = {}): Promise<Result> {
      if (closed) return Promise.reject(new ServiceError("storage_unavailable", "The store has been closed."));
      return new Promise<Result>((resolve, reject) => {
        (last ? lastOnes : waiting).push({ work, resolve: resolve as (result: unknown) => void, reject });
        schedule();
      });
    },
    async close() {
      closed = true;
      while (flushing) await flushing;
    },
  };
}

/** Runs every job of a group and commits. Throws, with nothing done, when one of them or the commit fails. */
async function runGroup(
  transaction: ControlledTransaction<Tables>,
  next: () => Job | undefined,
): Promise<{ readonly outcomes: readonly Outcome[]; readonly commitMs: number }> {
  try {
    const outcomes: Outcome[] = [];
    for (let job = next(); job; job = next()) outcomes.push({ job, result: await job.work(transaction) });
    const began = performance.now();
    await transaction.commit().execute();
    return { outcomes, commitMs: performance.now() - began };
  } catch (error) {
    await transaction.rollback().execute();
    throw error;
  }
}

async function runAlone(transaction: ControlledTransaction<Tables>, job: Job): Promise<unknown> {
  try {
    const result = await job.work(transaction);
    await transaction.commit().execute();
    return result;
  } catch (error) {
    await transaction.rollback().execute();
    throw error;
  }
}
