import type { ControlledTransaction } from "kysely";
import { ServiceError } from "../../contract/errors/errors.ts";
import type { Database, WriteOptions, Writer } from "../tables/database.ts";
import type { Tables } from "../tables/schema.ts";

type Work<Result> = (writer: Writer) => Promise<Result>;

interface CommitJob {
  readonly work: Work<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface CommitOutcome {
  readonly job: CommitJob;
  readonly result: unknown;
}

export type GroupCommit = Pick<Database, "write" | "close">;

interface GroupCommitOptions {
  /** Begins a transaction, waiting for the lock if necessary. */
  readonly begin: () => Promise<ControlledTransaction<Tables>>;
}

/** The shortest time that the first write waits for others. */
const windowMs = 2;
/** A group that has run this long is committed; remaining writes go into the next group. */
const groupMs = 25;

/** A group of this many writes predicts another large one. */
const crowd = 4;
/** The commit blocks the event loop, so under load at most a fourth of the time is spent in commits. */
const commitsApart = 3;
const longestWindowMs = 25;

/**
 * Lets concurrent writes share one transaction and thus one fsync. Each promise settles after the commit. When one
 * write fails, the group is rolled back and each write is retried alone: failures are rare, and a savepoint per write
 * would cost as much as the write.
 */
export function createGroupCommit({ begin }: GroupCommitOptions): GroupCommit {
  const waiting: CommitJob[] = [];
  /** Writes that run after all others of their group. */
  const lastOnes: CommitJob[] = [];
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
    const taken: CommitJob[] = [];
    const until = performance.now() + groupMs;
    const next = (): CommitJob | undefined => {
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

  async function retryAlone(jobs: readonly CommitJob[], error: unknown): Promise<void> {
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

/** Runs every job of a group and commits. When a job or the commit fails, rolls back and throws. */
async function runGroup(
  transaction: ControlledTransaction<Tables>,
  next: () => CommitJob | undefined,
): Promise<{ readonly outcomes: readonly CommitOutcome[]; readonly commitMs: number }> {
  try {
    const outcomes: CommitOutcome[] = [];
    for (let job = next(); job; job = next()) outcomes.push({ job, result: await job.work(transaction) });
    const began = performance.now();
    await transaction.commit().execute();
    return { outcomes, commitMs: performance.now() - began };
  } catch (error) {
    await transaction.rollback().execute();
    throw error;
  }
}

async function runAlone(transaction: ControlledTransaction<Tables>, job: CommitJob): Promise<unknown> {
  try {
    const result = await job.work(transaction);
    await transaction.commit().execute();
    return result;
  } catch (error) {
    await transaction.rollback().execute();
    throw error;
  }
}
