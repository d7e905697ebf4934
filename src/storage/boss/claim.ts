import { sql, type SqlBool } from "kysely";
import type { ClaimedAttempt, ClaimOptions } from "../../contract/ports/queue.ts";
import type { Writer } from "../database.ts";
import { toClaimed, waitingRuns } from "../leases/claim.ts";
import { sharePlaces } from "../leases/share-places.ts";
import { takeBack, type TakenBack } from "../leases/take-back.ts";
import { runIsActive } from "../queries/conditions.ts";
import { running } from "../queries/states.ts";
import { statement } from "../queries/statement.ts";
import { databaseNow, waitForDisk } from "./database-clock.ts";
import { jobQueue, type Jobs } from "./jobs.ts";
import { keepToIndexes } from "./planner.ts";
import type { ServingOrder } from "../leases/serving-order.ts";

interface BossClaim {
  readonly options: ClaimOptions;
  readonly leaseMs: number;
  readonly order: ServingOrder;
}

/** Claims follow one another, all workers together: so no run gets more places than its limit, at any moment. */
const claimLock = 7_245_101;

/**
 * Shares the places out by our own rows, then takes that many jobs of each run from pg-boss. The lease is taken with the
 * job, in one transaction.
 */
export async function claimJobs(
  writer: Writer,
  jobs: Jobs,
  { options, leaseMs, order }: BossClaim,
): Promise<ClaimedAttempt[]> {
  const now = await beginClaim(writer);
  await takeBackLost(writer, jobs);
  // Only now: places may have become free while other claims came first.
  const { worker, limit, spare = 0, perRun, busy, runs: only } = options;
  const runs = await waitingRuns(writer, { worker, limit, spare, now, runs: only });
  const { shares, alone } = sharePlaces(runs, { worker, limit, spare, perRun, busy, order });
  // Asked for at once, answered in order: with a hundred runs, waiting for each answer would hold up all other workers.
  const fetched = await Promise.all(
    [...shares].map(([runId, most]) => fetchJobs(writer, jobs, { runId, limit: most })),
  );
  const claimed = await leaseFetched(writer, jobs, { worker, until: now + leaseMs, fetched: fetched.flat() });
  for (const { run_id } of claimed) order.served(run_id);
  if (claimed.length > 0) await waitForDisk(writer);
  return alone ? claimed.map((attempt) => ({ ...attempt, alone })) : claimed;
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
 */
async function beginClaim(writer: Writer): Promise<number> {
  const { rows } = await sql<{ now: number }>`
    select pg_advisory_xact_lock(${claimLock}), set_config('synchronous_commit', 'off', true), ${keepToIndexes},
      ${databaseNow} as now
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

/** A job, and the run whose lane it was in. */
interface FetchedJob {
  readonly id: string;
  readonly run_id: string;
}

async function fetchJobs(writer: Writer, jobs: Jobs, share: { runId: string; limit: number }): Promise<FetchedJob[]> {
  const ids = await jobs.fetch(writer, share);
  return ids.map((id) => ({ id, run_id: share.runId }));
}

interface Fetched {
  readonly worker: string;
  readonly until: number;
  readonly fetched: readonly FetchedJob[];
}

const leaseStatement = statement<Parameters<typeof toClaimed>[0][number]>(
  `update attempt set state = 'running', lease_owner = ?, lease_until = ?, fence = fence + 1, tries = tries + 1
    from json_to_recordset(?::json) as job (id text, run_id text)
    where attempt.id = job.id and attempt.run_id = job.run_id and attempt.state in ('ready', 'running')
      and exists (select 1 from run where run.id = attempt.run_id and run.state in ('queued', 'running'))
    returning attempt.id, fence, attempt.run_id, scenario_index, attempt.attempt, tries, breaks`,
);

async function leaseFetched(
  writer: Writer,
  jobs: Jobs,
  { worker, until, fetched }: Fetched,
): Promise<ClaimedAttempt[]> {
  if (fetched.length === 0) return [];
  const rows = await leaseStatement(writer, [worker, until, JSON.stringify(fetched)]);
  const leased = new Set(rows.map((row) => row.id));
  await returnJobs(
    writer,
    jobs,
    fetched.map(({ id }) => id).filter((id) => !leased.has(id)),
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
