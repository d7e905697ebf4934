import { sql, type Expression, type SqlBool } from "kysely";
import type { AttemptState, Lease } from "../../../contract/ports/store.ts";
import type { Writer } from "../../database.ts";
import { isDeadWorker, type HostProcess, type RanOutOfMemory } from "../../host.ts";
import { cancelled, ready, runIsActive, running } from "../../queries/conditions.ts";

/** The longest delay before an attempt is handed out again. */
export const longestDelayMs = 3_600_000;

/** Available at once, before others of its run: it was running when memory ran out. */
const suspectAt = -1;
/** It was running the next time too: it comes first, and only to a worker that holds nothing else. */
export const aloneAt = -2;

/** The availability of an attempt reclaimed because memory ran out. */
const afterMemoryRanOut = sql<number>`case when available_at < 0 then ${sql.lit(aloneAt)} else ${sql.lit(suspectAt)} end`;

export function isAvailable(now: number): Expression<SqlBool> {
  return sql<SqlBool>`(attempt.state = ${ready}
    and (attempt.available_at <= ${now} or attempt.available_at > ${now + longestDelayMs}))`;
}

/**
 * Leases are measured on the host's monotonic clock, which restarts at zero with the host. A lease or delay further
 * ahead than possible was set before a restart and counts as expired.
 */
export function isExpired({ now, leaseMs }: { now: number; leaseMs: number }): Expression<SqlBool> {
  return sql<SqlBool>`(attempt.state = ${running}
    and (attempt.lease_until <= ${now} or attempt.lease_until > ${latestLeaseEnd({ now, leaseMs })}))`;
}

/** For leases measured by the clock of the database, which does not restart. */
export function hasExpired(now: number): Expression<SqlBool> {
  return sql<SqlBool>`(attempt.state = ${running} and attempt.lease_until <= ${now})`;
}

/**
 * The latest possible end of a lease. Four times the duration, so that processes with different settings accept each
 * other's leases.
 */
export function latestLeaseEnd({ now, leaseMs }: { now: number; leaseMs: number }): number {
  return now + 4 * leaseMs;
}

interface Renewal {
  readonly worker: string;
  readonly leases: readonly Lease[];
  readonly until: number;
}

/**
 * Renews the worker's leases in one statement and returns the attempts it no longer holds. Attempts of a run being
 * cancelled end here: this is how the worker learns of it.
 */
export async function renewLeases(writer: Writer, { worker, leases, until }: Renewal): Promise<string[]> {
  if (leases.length === 0) return [];
  const ids = leases.map((lease) => lease.attempt_id);
  const held = writer
    .updateTable("attempt")
    .where("id", "in", ids)
    .where("lease_owner", "=", worker)
    .where("state", "=", running);
  const renewed = await held.where(runIsActive).set({ lease_until: until }).returning(["id", "fence"]).execute();
  const fences = new Map(renewed.map((row) => [row.id, row.fence]));
  const lost = leases.filter((lease) => fences.get(lease.attempt_id) !== lease.fence);
  if (lost.length > 0) {
    await held
      .where(({ not }) => not(runIsActive))
      .set({ state: cancelled, lease_owner: null, lease_until: null })
      .execute();
  }
  return lost.map((lease) => lease.attempt_id);
}

export interface ReclaimedAttempt {
  readonly id: string;
  readonly run_id: string;
  readonly state: AttemptState;
  /** The slice that it was claimed from. */
  readonly slice: string | null;
}

/**
 * Makes running attempts ready again, or cancelled if their run is no longer active. The next claim raises the fence,
 * so the former holder cannot finish the attempt.
 */
export async function reclaimAttempts(
  writer: Writer,
  which: Expression<SqlBool>,
  { availableAt = 0, broke = false }: { availableAt?: number | Expression<number>; broke?: boolean } = {},
): Promise<ReclaimedAttempt[]> {
  return writer
    .updateTable("attempt")
    .where(which)
    .set({
      state: sql<"ready" | "cancelled">`case when ${runIsActive} then 'ready' else 'cancelled' end`,
      lease_owner: null,
      lease_until: null,
      available_at: availableAt,
      ...(broke && { breaks: sql<number>`breaks + 1` }),
    })
    .returning(["id", "run_id", "state", "slice"])
    .execute();
}

export interface ReclaimOptions extends HostProcess {
  /** Default: no worker ran out of memory. */
  readonly ranOutOfMemory?: RanOutOfMemory | undefined;
}

/** True for a dead worker of this host, and for a worker of any host that ran out of memory. */
export function isKnownDead(worker: string, { ranOutOfMemory = () => false, ...here }: ReclaimOptions): boolean {
  return ranOutOfMemory(worker) || isDeadWorker(worker, here);
}

/** Reclaims attempts of dead workers of this host, and of workers of any host that ran out of memory. */
export async function reclaimFromDeadWorkers(writer: Writer, options: ReclaimOptions): Promise<ReclaimedAttempt[]> {
  const owners = await writer
    .selectFrom("attempt")
    .where("state", "=", running)
    .where("lease_owner", "is not", null)
    .select("lease_owner")
    .distinct()
    .execute();
  const taken: ReclaimedAttempt[] = [];
  for (const { lease_owner } of owners) {
    if (lease_owner === null) continue;
    if (!isKnownDead(lease_owner, options)) continue;
    const reclaim = options.ranOutOfMemory?.(lease_owner) ? reclaimAfterOutOfMemory : reclaimFromWorker;
    taken.push(...(await reclaim(writer, lease_owner)));
  }
  return taken;
}

const isHeldByWorker = (worker: string): Expression<SqlBool> =>
  sql<SqlBool>`(state = ${running} and lease_owner = ${worker})`;

const reclaimFromWorker = (writer: Writer, worker: string): Promise<ReclaimedAttempt[]> =>
  reclaimAttempts(writer, isHeldByWorker(worker));

/**
 * When several attempts were running, the cause is unknown and may be none of them: they are retried normally, and each
 * alone if they were running the next time too. An attempt that ran alone has failed.
 */
async function reclaimAfterOutOfMemory(writer: Writer, worker: string): Promise<ReclaimedAttempt[]> {
  const isHeld = isHeldByWorker(worker);
  const held = await writer.selectFrom("attempt").where(isHeld).select("id").limit(2).execute();
  return reclaimAttempts(writer, isHeld, { availableAt: afterMemoryRanOut, broke: held.length === 1 });
}
