import type { ClaimedAttempt, ClaimOptions } from "../../contract/ports/queue.ts";
import type { Reader, Writer } from "../database.ts";
import { statement } from "../queries/statement.ts";
import { activeRunStates } from "../queries/states.ts";
import { aloneAt, furthestLease, isAvailable, isExpired, longestDelayMs } from "./lease-time.ts";
import type { ServedRun, ServingOrder } from "./serving-order.ts";
import { sharePlaces } from "./share-places.ts";
import { takeBack } from "./take-back.ts";

interface Claim extends ClaimOptions {
  readonly now: number;
  readonly leaseMs: number;
  readonly order: ServingOrder;
  /** Nobody could renew a lease of late: those that have expired are renewed instead of taken back. */
  readonly afterOutage?: boolean;
}

/** Takes back what has expired, then leases ready attempts to the worker, fairly between owners and their runs. */
export async function claimAttempts(writer: Writer, claim: Claim): Promise<ClaimedAttempt[]> {
  const expired = await expiredAttempt(writer, [claim.now, furthestLease(claim)]);
  if (expired.length > 0) await (claim.afterOutage ? renewExpired(writer, claim) : takeBack(writer, isExpired(claim)));
  const { shares, alone } = sharePlaces(await waitingRuns(writer, claim), claim);
  for (const runId of shares.keys()) claim.order.served(runId);
  const claimed = await leaseAttempts(writer, await chooseReady(writer, shares, claim), claim);
  return alone ? claimed.map((attempt) => ({ ...attempt, alone })) : claimed;
}

async function renewExpired(writer: Writer, claim: Claim): Promise<void> {
  const lease_until = claim.now + claim.leaseMs;
  await writer.updateTable("attempt").where(isExpired(claim)).set({ lease_until }).execute();
}

/** Whether there is anything anybody could claim, as a cheap look before a claim. */
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

// What is ready is read in the order of its index, so that reading it can stop at the limit. With a bare `limit ?` SQLite would
// plan anew for every claim (`SqliteCompiler`).
const runsThatWait = statement<Omit<ServedRun, "alone"> & { tied: number; alone: 1 | null }>(
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
        and attempt.available_at = ${aloneAt} limit 1) as alone
    from run where run.state in ('queued', 'running')
      and (run.metered = 0 or not exists (
        select 1 from attempt where attempt.run_id = run.id and attempt.state = 'running' and attempt.lease_owner <> ?
      ))`,
);

const ownersAtWork = statement<{ readonly count: number }>(
  `select count(distinct coalesce(owner, '')) as count from run where state in ('queued', 'running')`,
);

/**
 * Runs with something ready that the worker may take. Ready attempts are counted only as far as there are places, since a run may
 * have thousands: the spare ones, which go to others than whoever has taken the rest, only where there are others.
 */
export async function waitingRuns(
  writer: Writer,
  { worker, limit, spare = 0, now, runs }: Pick<Claim, "worker" | "limit" | "spare" | "now" | "runs">,
): Promise<ServedRun[]> {
  const places = limit + (spare > 0 && (await hasSeveralOwners(writer)) ? spare : 0);
  if (places <= 0) return [];
  const rows = await runsThatWait(writer, [now, now + longestDelayMs, places, worker]);
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

async function hasSeveralOwners(writer: Writer): Promise<boolean> {
  const [owners] = await ownersAtWork(writer, []);
  return Number(owners?.count) > 1;
}

type LeasedRow = Omit<ClaimedAttempt, "lease"> & { readonly id: string; readonly fence: number };

// A limit cannot depend on a row, so one statement chooses for all runs that get equally many.
const readyOfRuns = statement<{ id: string }>(
  `select chosen.value as id from json_each(?) as share, json_each((
      select json_group_array(id) from (
        select id from attempt
        where run_id = share.value and state = 'ready' and (available_at <= ? or available_at > ?)
        order by available_at, scenario_index, attempt limit ? + 0
      )
    )) as chosen`,
);

/** The attempts that come next in each run, as many as its share. */
async function chooseReady(
  writer: Writer,
  shares: ReadonlyMap<string, number>,
  { now }: Pick<Claim, "now">,
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
    returning id, fence, run_id, scenario_index, attempt, tries, breaks`,
);

async function leaseAttempts(
  writer: Writer,
  ids: readonly string[],
  { worker, now, leaseMs }: Pick<Claim, "worker" | "now" | "leaseMs">,
): Promise<ClaimedAttempt[]> {
  if (ids.length === 0) return [];
  return toClaimed(await lease(writer, [worker, now + leaseMs, JSON.stringify(ids)]));
}

export function toClaimed(rows: readonly LeasedRow[]): ClaimedAttempt[] {
  return rows
    .toSorted((left, right) => left.scenario_index - right.scenario_index || left.attempt - right.attempt)
    .map(({ id, fence, ...attempt }) => ({ lease: { attempt_id: id, fence }, ...attempt }));
}
