import { sql } from "kysely";
import type { ClaimedAttempt, ClaimOptions } from "../../../contract/ports/queue.ts";
import type { Writer } from "../../tables/database.ts";
import { statement } from "../../queries/statement.ts";
import { hasSeveralOwners, toClaimed } from "../leases/claim.ts";
import { planClaim, type ClaimableRun, type RoundRobin } from "../leases/fair-share.ts";
import { aloneAt } from "../leases/leases.ts";
import { databaseNow } from "./clock.ts";
import type { HeldSlice, HeldSlices } from "./held-slices.ts";
import { forceIndexScans } from "./lock-attempts.ts";
import type { NewSlice, Slices } from "./slices.ts";

interface BossClaim extends ClaimOptions {
  readonly leaseMs: number;
  readonly order: RoundRobin;
}

interface SliceClaim {
  /** Null when slices of runs that are over came instead of those of other runs: these must be fetched first. */
  readonly claimed: readonly ClaimedAttempt[] | null;
  /** Slices that are no longer held: their run is over, or their successors were sent. */
  readonly ended: readonly HeldSlice[];
  /** Successors were sent. */
  readonly sent: boolean;
}

/** Claims attempts from the slices of this process. Slices without work are ended, and those at their end replaced. */
export async function claimFromSlices(
  writer: Writer,
  { slices, held, ...claim }: BossClaim & { readonly slices: Slices; readonly held: HeldSlices },
): Promise<SliceClaim> {
  const { now, runs } = await lockRuns(writer, { ...claim, ids: held.runIds });
  const isOpen = ({ runId }: HeldSlice): boolean => runs.some(({ id, open }) => id === runId && open);
  const ended = held.idle.filter((slice) => slice.left === 0 || slice.turnOver || !isOpen(slice));
  const sent = await replaceSlices(writer, slices, { ended, isOpen });
  await slices.send(writer, held.all.filter(isOpen).flatMap(siblings));
  if (ended.some((slice) => slice.left === slice.size && !isOpen(slice))) return { ended, sent, claimed: null };
  const available = runs.map((run) => ({ ...run, ready: Math.min(run.ready, held.left(run.id)) }));
  const claimed = await leasePlanned(writer, available, { ...claim, now, held });
  return { claimed, ended, sent };
}

/** Claims attempts of the given runs without their slices, for a process that executes its own runs. */
export async function claimFromRuns(
  writer: Writer,
  claim: BossClaim & { readonly runs: ReadonlySet<string> },
): Promise<readonly ClaimedAttempt[]> {
  const { now, runs } = await lockRuns(writer, { ...claim, ids: [...claim.runs] });
  return leasePlanned(writer, runs, { ...claim, now });
}

/** Ends slices and sends the successors of those whose run has attempts left. True when there are any. */
export async function replaceSlices(
  writer: Writer,
  slices: Slices,
  { ended, isOpen }: { readonly ended: readonly HeldSlice[]; readonly isOpen: (slice: HeldSlice) => boolean },
): Promise<boolean> {
  const settled = await slices.complete(writer, ended);
  // A slice that was lost is continued by its new holder.
  const followed = ended.filter((slice) => settled.has(slice.id) && isOpen(slice));
  await slices.send(
    writer,
    followed.map((slice) => ({ ...slice, more: 0 })),
  );
  return followed.length > 0;
}

const siblings = (slice: HeldSlice): NewSlice[] => Array.from({ length: slice.more }, () => ({ ...slice, more: 0 }));

interface LockedRun extends ClaimableRun {
  /** It is active and has attempts that are not over. */
  readonly open: boolean;
}

const claimLock = 7_245_101;

interface ClaimedRunRow extends Omit<ClaimableRun, "alone"> {
  readonly active: boolean;
  readonly waiting: boolean;
  readonly alone: boolean;
  /** It has a budget, and another worker executes it. */
  readonly blocked: boolean;
}

const selectRuns = statement<ClaimedRunRow>(
  `select run.id, run.owner, run.priority, run.max_concurrency, run.created_at,
      run.state in ('queued', 'running') as active,
      (select count(*) from attempt where attempt.run_id = run.id and attempt.state = 'running')::int as running,
      (select count(*) from (
        select 1 from attempt where attempt.run_id = run.id and attempt.state = 'ready' and attempt.available_at <= ?
        order by attempt.available_at, attempt.scenario_index, attempt.attempt limit ?
      ) as waiting)::int as ready,
      coalesce((select run_sequence.last from run_sequence where run_sequence.run_id = run.id), 0) as stored,
      (select true from attempt where attempt.run_id = run.id and attempt.state = 'ready' limit 1) is true as waiting,
      (select true from attempt where attempt.run_id = run.id and attempt.state = 'ready'
        and attempt.available_at <= ${aloneAt} limit 1) is true as alone,
      run.metered = 1 and (select true from attempt where attempt.run_id = run.id and attempt.state = 'running'
        and attempt.lease_owner <> ? limit 1) is true as blocked
    from run where run.id = any(?::text[])`,
);

/** Claims of the same run take turns, so that it never exceeds its concurrency. */
async function lockRuns(
  writer: Writer,
  {
    ids,
    worker,
    limit,
    spare = 0,
  }: Pick<BossClaim, "worker" | "limit" | "spare"> & { readonly ids: readonly string[] },
): Promise<{ now: number; runs: LockedRun[] }> {
  const { rows } = await sql<{ now: number }>`
    select ${forceIndexScans}, ${databaseNow} as now, (
      select count(*) from (
        select pg_advisory_xact_lock(${claimLock}, key)
        from (select distinct hashtext(id) as key from unnest(${ids}::text[]) as id order by key) as keys
      ) as locks
    )`.execute(writer);
  const { now } = rows[0]!;
  // Read after waiting for the locks: attempts may have ended during other claims.
  const found = await selectRuns(writer, [now, Math.max(0, limit + spare), worker, ids]);
  const runs = found.map(({ active, waiting, blocked, ...run }) => ({
    ...run,
    ready: active && !blocked ? run.ready : 0,
    alone: active && !blocked && run.alone,
    open: active && (waiting || run.running > 0),
  }));
  return { now, runs };
}

const leaseStatement = statement<Parameters<typeof toClaimed>[0][number]>(
  `update attempt set state = 'running', lease_owner = ?, lease_until = ?, slice = chosen.slice,
      fence = fence + 1, tries = tries + 1
    from (
      select ready.id, share.slice from json_to_recordset(?::json) as share (run_id text, most int, slice text)
      cross join lateral (
        select id from attempt where run_id = share.run_id and state = 'ready' and available_at <= ?
        order by available_at, scenario_index, attempt limit share.most for update skip locked
      ) as ready
    ) as chosen
    where attempt.id = chosen.id
    returning attempt.id, fence, run_id, scenario_index, attempt, tries, breaks, available_at`,
);

async function leasePlanned(
  writer: Writer,
  runs: readonly ClaimableRun[],
  { held, now, leaseMs, ...options }: BossClaim & { readonly now: number; readonly held?: HeldSlices },
): Promise<readonly ClaimedAttempt[]> {
  const { limit, spare = 0 } = options;
  const usable = spare > 0 && limit <= spare && (await hasSeveralOwners(writer)) ? spare : 0;
  const { shares, alone } = planClaim(
    runs.filter(({ ready }) => ready > 0),
    { ...options, spare: usable },
  );
  if (shares.size === 0) return [];
  const chosen = [...shares].map(([run_id, most]) => ({ run_id, most, slice: held?.next(run_id)?.id ?? null }));
  const rows = await leaseStatement(writer, [options.worker, now + leaseMs, JSON.stringify(chosen), now]);
  for (const { run_id } of rows) options.order.markServed(run_id);
  const claimed = toClaimed(rows);
  return alone ? claimed.map((attempt) => ({ ...attempt, alone })) : claimed;
}
