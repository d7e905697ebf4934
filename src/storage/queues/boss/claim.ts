import { sql, type SqlBool } from "kysely";
import type { ClaimedAttempt, ClaimOptions } from "../../../contract/ports/queue.ts";
import type { Writer } from "../../database.ts";
import { runIsActive, running } from "../../queries/conditions.ts";
import { statement } from "../../queries/statement.ts";
import { toClaimed, claimableRuns } from "../leases/claim.ts";
import { planClaim, type RoundRobin } from "../leases/fair-share.ts";
import { reclaimAttempts, type ReclaimedAttempt } from "../leases/leases.ts";
import { databaseNow, requireDurableCommit } from "./clock.ts";
import { forceIndexScans } from "./lock-attempts.ts";
import { jobQueue, type Jobs } from "./jobs.ts";

interface BossClaim {
  readonly options: ClaimOptions;
  readonly leaseMs: number;
  readonly order: RoundRobin;
}

/** Serializes the claims of all workers, so that no run ever exceeds its concurrency. */
const claimLock = 7_245_101;

/**
 * Allocates slots to runs by our own rows, then fetches as many jobs of each run from pg-boss. Job and lease are taken
 * in one transaction.
 */
export async function claimJobs(
  writer: Writer,
  jobs: Jobs,
  { options, leaseMs, order }: BossClaim,
): Promise<ClaimedAttempt[]> {
  const now = await beginClaim(writer);
  await reclaimLostJobs(writer, jobs);
  // Read after waiting for the lock: slots may have become free during other claims.
  const { worker, limit, spare = 0, perRun, busy, runs: only } = options;
  const runs = await claimableRuns(writer, { worker, limit, spare, now, runs: only });
  const { shares, alone } = planClaim(runs, { worker, limit, spare, perRun, busy, order });
  // Sent together and answered in order: with a hundred runs, one round trip each would block all other workers.
  const fetched = await Promise.all(
    [...shares].map(([runId, most]) => fetchJobs(writer, jobs, { runId, limit: most })),
  );
  const claimed = await leaseFetched(writer, jobs, { worker, until: now + leaseMs, fetched: fetched.flat() });
  for (const { run_id } of claimed) order.markServed(run_id);
  if (claimed.length > 0) await requireDurableCommit(writer);
  return alone ? claimed.map((attempt) => ({ ...attempt, alone })) : claimed;
}

/**
 * Makes attempts ready again whose job is no longer active, because pg-boss considered their worker dead. Attempts
 * without a waiting job get a new one.
 */
export async function reclaimLostJobs(writer: Writer, jobs: Jobs): Promise<ReclaimedAttempt[]> {
  const taken = await reclaimAttempts(
    writer,
    sql<SqlBool>`(attempt.state = ${running} and not ${hasJob("= 'active'")})`,
  );
  await repairJobs(writer, jobs, taken);
  return taken;
}

/** Restores the jobs of reclaimed attempts: a waiting one, or none when their run has ended. */
export async function repairJobs(writer: Writer, jobs: Jobs, taken: readonly ReclaimedAttempt[]): Promise<void> {
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

/** A condition that is true when an attempt has a job in some state. */
export function hasJob(state: "= 'active'" | "< 'active'" | "< 'completed'") {
  // Not `exists`: the planner could turn it into a join that reads every job to check a few attempts.
  return sql<SqlBool>`coalesce(
    (select job.state ${sql.raw(state)} from pgboss.job where job.name = ${sql.lit(jobQueue)} and job.id = attempt.id::uuid),
    false
  )`;
}

/**
 * A claim that finds nothing does not wait for the disk. One that returns attempts does: if it were lost in a server
 * crash, its fences would be given out twice, and two workers would hold the same lease.
 */
async function beginClaim(writer: Writer): Promise<number> {
  const { rows } = await sql<{ now: number }>`
    select pg_advisory_xact_lock(${claimLock}), set_config('synchronous_commit', 'off', true), ${forceIndexScans},
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

/** A job and the run whose partition it was in. */
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

/** Returns jobs of other runs that share the partition, and ends those of finished attempts. */
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
