import { sql, type SqlBool } from "kysely";
import type { ClaimedAttempt } from "../../contract/queue.ts";
import type { Writer } from "../database.ts";
import { takeLease, toClaimed, waitingRuns } from "../leases/claim.ts";
import { shareOut } from "../leases/share-out.ts";
import { takeBack, type TakenBack } from "../leases/take-back.ts";
import { runIsActive } from "../queries/conditions.ts";
import { running } from "../queries/states.ts";
import { databaseNow, waitForDisk } from "./database-clock.ts";
import { jobQueue, type Jobs } from "./jobs.ts";

export interface BossClaim {
  readonly worker: string;
  readonly limit: number;
  readonly perRun: number;
  readonly leaseMs: number;
}

/** Claims follow one another, all workers together: so no run gets more places than its limit, at any moment. */
const claimLock = 7_245_101;

/**
 * Shares the places out by our own rows, then takes that many jobs of each run from pg-boss. The lease is taken with the
 * job, in one transaction.
 */
export async function claimJobs(writer: Writer, jobs: Jobs, claim: BossClaim): Promise<ClaimedAttempt[]> {
  const now = await beginClaim(writer);
  await takeBackLost(writer, jobs);
  if (claim.limit <= 0) return [];
  const runs = await waitingRuns(writer, { limit: claim.limit, now });
  const claimed: ClaimedAttempt[] = [];
  for (const [runId, count] of shareOut(runs, { places: claim.limit, perRun: claim.perRun })) {
    const ids = await jobs.fetch(writer, { runId, limit: count });
    claimed.push(...(await leaseFetched(writer, jobs, { ...claim, runId, ids, now })));
  }
  if (claimed.length > 0) await waitForDisk(writer);
  return claimed;
}

/**
 * Makes attempts ready again whose job is no longer being worked on: pg-boss took their worker for dead. Those that have
 * no waiting job either get a new one.
 */
export async function takeBackLost(writer: Writer, jobs: Jobs): Promise<TakenBack[]> {
  const taken = await takeBack(writer, sql<SqlBool>`(attempt.state = ${running} and not ${hasJob("= 'active'")})`);
  await putRight(writer, jobs, taken);
  return taken;
}

/** Gives attempts that were taken back the jobs they should have: one that waits, or none when their run has ended. */
export async function putRight(writer: Writer, jobs: Jobs, taken: readonly TakenBack[]): Promise<void> {
  if (taken.length === 0) return;
  const ended = taken.filter((attempt) => attempt.state === "cancelled").map((attempt) => attempt.id);
  await jobs.complete(writer, ended);
  const waiting = await withWaitingJob(
    writer,
    taken.map((attempt) => attempt.id),
  );
  const missing = taken.filter((attempt) => attempt.state === "ready" && !waiting.has(attempt.id));
  await jobs.requeue(
    writer,
    missing.map(({ id, run_id }) => ({ attemptId: id, runId: run_id })),
  );
}

/** Whether an attempt has a job in some state. */
export function hasJob(state: "= 'active'" | "< 'active'" | "< 'completed'") {
  // Not `exists`: that lets the planner join, and read every job there is to look at the few attempts it is about.
  return sql<SqlBool>`coalesce(
    (select job.state ${sql.raw(state)} from pgboss.job where job.name = ${sql.lit(jobQueue)} and job.id = attempt.id::uuid),
    false
  )`;
}

/**
 * A claim that finds nothing does not wait for the disk. One that hands something out does: were it lost in a crash of the
 * server, its fences would be given a second time, and two workers would hold the same lease.
 *
 * Everything a claim reads is a few rows by index; right after a large run was stored, before the planner knows about
 * it, it would read all of them instead.
 */
async function beginClaim(writer: Writer): Promise<number> {
  const { rows } = await sql<{ now: number }>`
    select pg_advisory_xact_lock(${claimLock}), set_config('synchronous_commit', 'off', true),
      set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true), ${databaseNow} as now
  `.execute(writer);
  return rows[0]!.now;
}

async function withWaitingJob(writer: Writer, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await writer
    .selectFrom("attempt")
    .where("id", "in", ids)
    .where(hasJob("< 'active'"))
    .select("id")
    .execute();
  return new Set(rows.map((row) => row.id));
}

interface Fetched extends BossClaim {
  readonly runId: string;
  readonly ids: readonly string[];
  readonly now: number;
}

async function leaseFetched(
  writer: Writer,
  jobs: Jobs,
  { worker, leaseMs, runId, ids, now }: Fetched,
): Promise<ClaimedAttempt[]> {
  if (ids.length === 0) return [];
  const rows = await takeLease(writer, { worker, until: now + leaseMs })
    .where("id", "in", ids)
    .where("run_id", "=", runId)
    .where("state", "in", ["ready", "running"])
    .where(runIsActive)
    .execute();
  const leased = new Set(rows.map((row) => row.id));
  await returnJobs(
    writer,
    jobs,
    ids.filter((id) => !leased.has(id)),
  );
  return toClaimed(rows);
}

/** Jobs that were not for this run: another run may share its lane. Those of attempts that are over are ended. */
async function returnJobs(writer: Writer, jobs: Jobs, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const open = await writer
    .selectFrom("attempt")
    .where("id", "in", ids)
    .where("state", "in", ["ready", "running"])
    .where(runIsActive)
    .select(["id", "run_id", "available_at"])
    .execute();
  const stillOpen = new Set(open.map((row) => row.id));
  await jobs.complete(
    writer,
    ids.filter((id) => !stillOpen.has(id)),
  );
  await jobs.requeue(
    writer,
    open.map((row) => ({ attemptId: row.id, runId: row.run_id, availableAt: row.available_at })),
  );
}
