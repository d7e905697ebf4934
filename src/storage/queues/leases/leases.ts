import { randomInt } from "node:crypto";
import { sql, type Expression, type SqlBool } from "kysely";
import type { AttemptState, Lease } from "../../../contract/ports/store.ts";
import type { Writer } from "../../tables/database.ts";
import { isDeadWorker, type HostProcess, type BrokeDown } from "../../tables/host.ts";
import { cancelled, ready, runIsActive, running } from "../../queries/conditions.ts";

/** The longest delay before an attempt is handed out again. */
export const longestDelayMs = 3_600_000;

/**
 * From here downwards, an attempt is available at once, before others of its run, and only to a worker that holds nothing else: it was
 * in progress when its process broke down. Attempts of one such process have the same number, of at most `groupsBelow`.
 */
export const aloneAt = -2;
const groupsBelow = -1_000;
/** Its process broke down while it ran alone: the worker that claims it ends its run. */
const fatalAt = -3;

/** Suspicion outlives a kill or a lost lease. */
const suspicion = sql<number>`case when available_at <= ${sql.lit(aloneAt)} then available_at else 0 end`;

/** Whether a claimed attempt has ended the process that ran it alone. */
export const isFatal = ({ available_at }: { readonly available_at: number }): boolean =>
  Number(available_at) === fatalAt;

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
  { availableAt = suspicion, broke = false }: { availableAt?: number | Expression<number>; broke?: boolean } = {},
): Promise<ReclaimedAttempt[]> {
  return writer
    .updateTable("attempt")
    .where(which)
    .set({
      state: sql<"ready" | "cancelled">`case when ${runIsActive} then 'ready' else 'cancelled' end`,
      lease_owner: null,
      lease_until: null,
      available_at: availableAt,
      breaks: broke ? sql<number>`breaks + 1` : undefined,
    })
    .returning(["id", "run_id", "state", "slice"])
    .execute();
}

export interface ReclaimOptions extends HostProcess {
  /** Default: no worker broke down. */
  readonly brokeDown?: BrokeDown | undefined;
}

/** True for a dead worker of this host, and for a worker of any host that broke down. */
export function isKnownDead(worker: string, { brokeDown = () => false, ...here }: ReclaimOptions): boolean {
  return brokeDown(worker) || isDeadWorker(worker, here);
}

/** Reclaims attempts of dead workers of this host, and of workers of any host that broke down. */
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
    const reclaim = options.brokeDown?.(lease_owner) ? reclaimAfterBreakdown : reclaimFromWorker;
    taken.push(...(await reclaim(writer, lease_owner)));
  }
  return taken;
}

const isHeldByWorker = (worker: string): Expression<SqlBool> =>
  sql<SqlBool>`(state = ${running} and lease_owner = ${worker})`;

const reclaimFromWorker = (writer: Writer, worker: string): Promise<ReclaimedAttempt[]> =>
  reclaimAttempts(writer, isHeldByWorker(worker));

/**
 * Any of the attempts in progress may be the cause, so each runs alone the next time. The one during which a process breaks down again
 * is the cause: the others are no longer suspected.
 */
async function reclaimAfterBreakdown(writer: Writer, worker: string): Promise<ReclaimedAttempt[]> {
  const isHeld = isHeldByWorker(worker);
  const held = await writer.selectFrom("attempt").where(isHeld).select("available_at").limit(2).execute();
  const [only] = held;
  const found = held.length === 1 && only !== undefined && Number(only.available_at) <= aloneAt;
  if (found) await clearGroup(writer, Number(only.available_at));
  return reclaimAttempts(writer, isHeld, { availableAt: found ? fatalAt : newGroup() });
}

const newGroup = (): number => groupsBelow - randomInt(2 ** 40);

async function clearGroup(writer: Writer, group: number): Promise<void> {
  if (group > groupsBelow) return;
  await writer
    .updateTable("attempt")
    .where("state", "=", ready)
    .where("available_at", "=", group)
    .set({ available_at: 0 })
    .execute();
}
