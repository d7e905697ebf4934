import { compact } from "../../../base/compact.ts";
import type { ClaimedAttempt, ClaimOptions } from "../../../contract/ports/queue.ts";
import type { Reader, Writer } from "../../tables/database.ts";
import { activeRunStates } from "../../queries/conditions.ts";
import { statement } from "../../queries/statement.ts";
import { planClaim, type ClaimableRun, type RoundRobin } from "./fair-share.ts";
import { aloneAt, isAvailable, isExpired, isFatal, latestLeaseEnd, longestDelayMs, reclaimAttempts } from "./leases.ts";

interface LeaseClaim extends ClaimOptions {
  readonly now: number;
  readonly leaseMs: number;
  readonly order: RoundRobin;
  /** No lease could be renewed recently: expired ones are renewed instead of reclaimed. */
  readonly afterOutage?: boolean;
}

/** Reclaims expired attempts, then leases ready ones to the worker, fairly between owners and their runs. */
export async function claimAttempts(writer: Writer, claim: LeaseClaim): Promise<ClaimedAttempt[]> {
  const expired = await expiredAttempt(writer, [claim.now, latestLeaseEnd(claim)]);
  if (expired.length > 0)
    await (claim.afterOutage ? renewExpired(writer, claim) : reclaimAttempts(writer, isExpired(claim)));
  const { shares, alone } = planClaim(await claimableRuns(writer, claim), claim);
  for (const runId of shares.keys()) claim.order.markServed(runId);
  const claimed = await leaseAttempts(writer, await chooseReady(writer, shares, claim), claim);
  return alone ? claimed.map((attempt) => ({ ...attempt, alone })) : claimed;
}

async function renewExpired(writer: Writer, claim: LeaseClaim): Promise<void> {
  const lease_until = claim.now + claim.leaseMs;
  await writer.updateTable("attempt").where(isExpired(claim)).set({ lease_until }).execute();
}

/** A cheap check whether a claim could return anything. */
export async function hasWork(reader: Reader, now: number): Promise<boolean> {
  const row = await reader
    .selectFrom("run")
    .where("state", "in", activeRunStates)
    .where("tied", "=", 0)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom("attempt").select("id").whereRef("run_id", "=", "run.id").where(isAvailable(now))),
    )
    .select("id")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

const expiredAttempt = statement<{ id: string }>(
  `select id from attempt where state = 'running' and (lease_until <= ? or lease_until > ?) limit 1`,
);

// Ready attempts are read in the order of their index, so that reading stops at the limit. For `limit ? + 0` see
// `SqliteCompiler`.
const selectClaimableRuns = statement<Omit<ClaimableRun, "alone"> & { tied: number; alone: 1 | null }>(
  `select run.id, run.owner, run.priority, run.max_concurrency, run.created_at, run.tied,
      (select count(*) from attempt where attempt.run_id = run.id and attempt.state = 'running') as running,
      (select count(*) from (
        select 1 from attempt
        where attempt.run_id = run.id and attempt.state = 'ready'
          and (attempt.available_at <= ? or attempt.available_at > ?)
        order by attempt.available_at, attempt.scenario_index, attempt.attempt limit ? + 0
      ) as waiting) as ready,
      coalesce((select run_sequence.last from run_sequence where run_sequence.run_id = run.id), 0) as stored,
      (select 1 from attempt where attempt.run_id = run.id and attempt.state = 'ready'
        and attempt.available_at <= ${aloneAt} limit 1) as alone
    from run where run.state in ('queued', 'running')
      and (run.metered = 0 or not exists (
        select 1 from attempt where attempt.run_id = run.id and attempt.state = 'running' and attempt.lease_owner <> ?
      ))`,
);

const ownersAtWork = statement<{ readonly count: number }>(
  `select count(distinct coalesce(owner, '')) as count from run where state in ('queued', 'running')`,
);

/**
 * Runs with ready attempts that the worker may take. A run may have thousands, so they are counted only up to the
 * number of slots. Spare slots count only when several owners have runs.
 */
async function claimableRuns(
  writer: Writer,
  { worker, limit, spare = 0, now, runs }: Pick<LeaseClaim, "worker" | "limit" | "spare" | "now" | "runs">,
): Promise<ClaimableRun[]> {
  const slots = limit + (spare > 0 && (await hasSeveralOwners(writer)) ? spare : 0);
  if (slots <= 0) return [];
  const rows = await selectClaimableRuns(writer, [now, now + longestDelayMs, slots, worker]);
  return rows
    .filter(({ id, tied }) => runs?.has(id) ?? tied === 0)
    .map((row) => ({
      ...row,
      running: Number(row.running),
      ready: Number(row.ready),
      stored: Number(row.stored),
      alone: row.alone !== null,
    }));
}

/** True when runs of more than one owner are unfinished. */
export async function hasSeveralOwners(writer: Writer): Promise<boolean> {
  const [owners] = await ownersAtWork(writer, []);
  return Number(owners?.count) > 1;
}

type LeasedRow = Omit<ClaimedAttempt, "lease" | "alone" | "fatal"> & {
  readonly id: string;
  readonly fence: number;
  readonly available_at: number;
};

// A limit cannot depend on a row, so one statement serves all runs with equal shares.
const readyOfRuns = statement<{ id: string }>(
  `select chosen.value as id from json_each(?) as share, json_each((
      select json_group_array(id) from (
        select id from attempt
        where run_id = share.value and state = 'ready' and (available_at <= ? or available_at > ?)
        order by available_at, scenario_index, attempt limit ? + 0
      )
    )) as chosen`,
);

/** The next attempts of each run, as many as its share. */
async function chooseReady(
  writer: Writer,
  shares: ReadonlyMap<string, number>,
  { now }: Pick<LeaseClaim, "now">,
): Promise<string[]> {
  const ids: string[] = [];
  for (const [count, runs] of Map.groupBy(shares.keys(), (runId) => shares.get(runId) ?? 0)) {
    const rows = await readyOfRuns(writer, [JSON.stringify(runs), now, now + longestDelayMs, count]);
    for (const { id } of rows) ids.push(id);
  }
  return ids;
}

const lease = statement<LeasedRow>(
  `update attempt set state = 'running', lease_owner = ?, lease_until = ?, fence = fence + 1, tries = tries + 1
    where id in (select value from json_each(?))
    returning id, fence, run_id, scenario_index, attempt, tries, breaks, available_at`,
);

async function leaseAttempts(
  writer: Writer,
  ids: readonly string[],
  { worker, now, leaseMs }: Pick<LeaseClaim, "worker" | "now" | "leaseMs">,
): Promise<ClaimedAttempt[]> {
  if (ids.length === 0) return [];
  return toClaimed(await lease(writer, [worker, now + leaseMs, JSON.stringify(ids)]));
}

export function toClaimed(rows: readonly LeasedRow[]): ClaimedAttempt[] {
  return rows
    .toSorted((left, right) => left.scenario_index - right.scenario_index || left.attempt - right.attempt)
    .map(({ id, fence, available_at, ...attempt }) =>
      compact({
        lease: { attempt_id: id, fence },
        ...attempt,
        fatal: isFatal({ available_at }) || undefined,
      }),
    );
}
