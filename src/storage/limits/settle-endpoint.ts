import type { EndpointLimits } from "../../contract/ports/limits.ts";
import type { Writer } from "../database.ts";
import { currentTat, grantable, ratePerMinute, waitFor, type Rate } from "./rate.ts";

/** What a worker has to say about an endpoint, and what it asks for. */
export interface Settlement {
  readonly endpoint: string;
  readonly worker: string;
  readonly limits: EndpointLimits;
  readonly inUse: number;
  /** Calls at once it would make if it could. */
  readonly wanted: number;
  /** Calls that wait to start: so many permits are of use now. */
  readonly permits: number;
  readonly leaseMs: number;
  /** Since the last time: calls that went well, the age of the youngest that was refused, and what permits turned out to cost. */
  readonly ok: number;
  readonly refusedMs: number | null;
  readonly unusedPermits: number;
  /** Calls whose tokens are known, and their sum. */
  readonly measured: { readonly calls: number; readonly tokens: number };
  readonly pauseMs: number;
}

export interface Allowance {
  /** Calls at once this worker may make. */
  readonly slots: number;
  /** What would be its fair share. Less than `slots`: others wait for what it holds. */
  readonly share: number;
  /** Calls that may start; null when there is no rate to keep. */
  readonly permits: number | null;
  /** It may do more than before. */
  readonly grew: boolean;
  /** When a pause or a rate stands in the way: how long to wait before asking again. */
  readonly waitMs: number;
}

/** Permits are granted for this much time ahead, so that a fast endpoint does not cost a transaction per call. */
const permitsAheadMs = 250;
const longestPauseMs = 60_000;

/**
 * Tells and asks, in one transaction that holds the endpoint's row: so the sums of what all workers were granted are
 * exact, whatever they do at once.
 */
export async function settleEndpoint(writer: Writer, now: number, settlement: Settlement): Promise<Allowance> {
  const { endpoint, worker, limits, leaseMs } = settlement;
  const row = await holdEndpoint(writer, endpoint);
  const paused = row.paused_until > now + longestPauseMs ? 0 : row.paused_until;
  const pausedUntil = Math.max(paused, settlement.pauseMs > 0 ? now + Math.min(settlement.pauseMs, longestPauseMs) : 0);
  const others = await writer
    .selectFrom("endpoint_slots")
    .where("endpoint", "=", endpoint)
    .select(["worker", "slots", "wanted", "granted_at", "lease_until", "shared_limit"])
    .execute();
  const live = others.filter((one) => one.worker !== worker && isLive(one.lease_until, { now, leaseMs }));
  const mine = others.find((one) => one.worker === worker);
  const wanted = Math.min(settlement.wanted, limits.concurrency);
  const demand = { worker, wanted, granted_at: mine?.granted_at ?? 0 };
  const underWay = slotsOf(live) + Math.max(1, settlement.inUse, mine?.slots ?? 0);
  const adapted = adaptCalls(row, { ...settlement, underWay, now });
  // Until it is known how many tokens a call takes, one call by one worker has to show it.
  const unmeasured = Boolean(limits.tokens_per_minute) && nextAverage(row.token_average, settlement) === 0;
  const sharedLimit = limits.shared === false ? null : limits.concurrency;
  const { share, free } = allot(demand, {
    live,
    sharedLimit,
    most: unmeasured ? 1 : adapted.calls || Number.POSITIVE_INFINITY,
  });
  const slots = Math.max(settlement.inUse, Math.min(share, free));
  const room = unmeasured ? slots - settlement.inUse : Number.POSITIVE_INFINITY;
  const rates = settleRates(row, { settlement, now, room: pausedUntil > now ? 0 : room });
  await writer
    .updateTable("endpoint_limit")
    .where("endpoint", "=", endpoint)
    .set({
      ...adapted,
      paused_until: pausedUntil,
      settled_at: now,
      request_tat: rates.request_tat,
      token_tat: rates.token_tat,
      token_average: rates.token_average,
    })
    .execute();

  const grew = slots > (mine?.slots ?? 0);
  await keepSlots(writer, {
    endpoint,
    worker,
    slots,
    wanted,
    shared_limit: sharedLimit,
    lease_until: now + leaseMs,
    granted_at: grew ? now : demand.granted_at,
  });
  return {
    slots,
    share,
    permits: rates.permits,
    grew: grew || (rates.permits ?? 0) > 0,
    waitMs: Math.max(rates.waitMs, pausedUntil - now, 0),
  };
}

interface LiveWorker extends SlotDemand {
  readonly slots: number;
  readonly shared_limit: number | null;
}

/**
 * A worker's fair share, and how much of it others do not hold at present: of the calls at once that the endpoint bears, which all
 * workers share, and of the limit that was set, which only those share that have one.
 */
function allot(
  demand: SlotDemand,
  { live, most, sharedLimit }: { live: readonly LiveWorker[]; most: number; sharedLimit: number | null },
): { share: number; free: number } {
  const ofAll = partOf(most, { demand, others: live });
  if (sharedLimit === null) return ofAll;
  const sharing = live.filter(({ shared_limit }) => shared_limit !== null);
  const lowest = Math.min(sharedLimit, ...sharing.map(({ shared_limit }) => shared_limit ?? sharedLimit));
  const ofShared = partOf(lowest, { demand, others: sharing });
  return { share: Math.min(ofAll.share, ofShared.share), free: Math.min(ofAll.free, ofShared.free) };
}

function partOf(calls: number, { demand, others }: { demand: SlotDemand; others: readonly LiveWorker[] }) {
  const share = shareSlots([...others, demand], calls).get(demand.worker) ?? 0;
  return { share, free: Math.max(0, calls - slotsOf(others)) };
}

function slotsOf(workers: readonly LiveWorker[]): number {
  return workers.reduce((sum, { slots }) => sum + slots, 0);
}

/** Further ahead than any lease could be, it was set before the host's clock started again. */
function isLive(until: number, { now, leaseMs }: { now: number; leaseMs: number }): boolean {
  return until > now && until <= now + 4 * leaseMs;
}

async function holdEndpoint(writer: Writer, endpoint: string) {
  const hold = writer
    .updateTable("endpoint_limit")
    .where("endpoint", "=", endpoint)
    .set((update) => ({ successes: update.ref("successes") }))
    .returningAll();
  const known = await hold.executeTakeFirst();
  if (known) return known;
  const learned = { calls: 0, successes: 0, halved_at: 0, refused_at: 0 };
  const rates = { request_tat: 0, token_tat: 0, token_average: 0, paused_until: 0 };
  await writer
    .insertInto("endpoint_limit")
    .values({ endpoint, ...learned, ...rates })
    .onConflict((conflict) => conflict.column("endpoint").doNothing())
    .execute();
  return hold.executeTakeFirstOrThrow();
}

interface StoredRates {
  readonly request_tat: number;
  readonly token_tat: number;
  readonly token_average: number;
}

function settleRates(
  row: StoredRates,
  { settlement, now, room }: { settlement: Settlement; now: number; room: number },
): StoredRates & { permits: number | null; waitMs: number } {
  const { limits, unusedPermits, measured } = settlement;
  const requests = limits.requests_per_minute ? ratePerMinute(limits.requests_per_minute) : null;
  const tokens = limits.tokens_per_minute ? ratePerMinute(limits.tokens_per_minute) : null;
  if (!requests && !tokens) return { ...row, permits: null, waitMs: 0 };

  const request_tat = currentTat(row.request_tat, now) - unusedPermits * (requests?.intervalMs ?? 0);
  // What was charged for these calls is replaced by what they used.
  const charged = (measured.calls + unusedPermits) * row.token_average;
  const token_tat = currentTat(row.token_tat, now) + (measured.tokens - charged) * (tokens?.intervalMs ?? 0);
  const token_average = nextAverage(row.token_average, settlement);
  const asked = Math.min(room, permitsToAsk(settlement, requests?.intervalMs));
  const byRequests = requests ? grantable(requests, { tat: request_tat, now, most: asked }) : asked;
  const permits = tokens
    ? Math.min(byRequests, startable(tokens, { aheadMs: token_tat - now, costMs: token_average * tokens.intervalMs }))
    : byRequests;
  return {
    permits,
    waitMs:
      permits > 0
        ? 0
        : Math.max(
            requests ? waitFor(requests, { tat: request_tat, now }) : 0,
            tokens ? Math.ceil(token_tat - now - tokens.burstMs) : 0,
          ),
    request_tat: Math.max(request_tat, now) + permits * (requests?.intervalMs ?? 0),
    token_tat: Math.max(token_tat, now) + permits * token_average * (tokens?.intervalMs ?? 0),
    token_average,
  };
}

function permitsToAsk({ permits }: Settlement, intervalMs: number | undefined): number {
  if (permits === 0) return 0;
  return intervalMs === undefined ? permits : Math.max(permits, Math.floor(permitsAheadMs / intervalMs));
}

/** Calls that may start before the tokens of those before them have come in. The last one may take more than there is. */
function startable({ burstMs }: Rate, { aheadMs, costMs }: { aheadMs: number; costMs: number }): number {
  if (aheadMs > burstMs) return 0;
  return costMs === 0 ? 1 : 1 + Math.floor((burstMs - aheadMs) / costMs);
}

/** What a call takes where the endpoint does not tell: next to nothing, which is not the same as not known yet. */
const untold = 1e-6;

/** Follows what calls use, quickly at first. */
function nextAverage(
  average: number,
  { ok, measured: { calls, tokens } }: Pick<Settlement, "ok" | "measured">,
): number {
  if (calls === 0) return average === 0 && ok > 0 ? untold : average;
  const measured = Math.max(untold, tokens / calls);
  return average <= untold ? measured : average + (measured - average) * Math.min(1, 0.1 * calls);
}

interface SlotsRow {
  readonly endpoint: string;
  readonly worker: string;
  readonly slots: number;
  readonly wanted: number;
  readonly shared_limit: number | null;
  readonly lease_until: number;
  readonly granted_at: number;
}

async function keepSlots(writer: Writer, { endpoint, worker, ...row }: SlotsRow): Promise<void> {
  if (row.slots === 0 && row.wanted === 0) {
    await writer.deleteFrom("endpoint_slots").where("endpoint", "=", endpoint).where("worker", "=", worker).execute();
    return;
  }
  await writer
    .insertInto("endpoint_slots")
    .values({ endpoint, worker, ...row })
    .onConflict((conflict) => conflict.columns(["endpoint", "worker"]).doUpdateSet(row))
    .execute();
}

/** What one worker asks for. */
interface SlotDemand {
  readonly worker: string;
  readonly wanted: number;
  readonly granted_at: number;
}

/**
 * Splits `calls` between workers: nobody gets more than it wants, what one leaves goes to the others, and of a rest too
 * small for all, those get one who have waited longest.
 */
export function shareSlots(demands: readonly SlotDemand[], calls: number): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  let left = calls;
  const modestFirst = demands.toSorted((one, other) => one.wanted - other.wanted);
  for (const [index, { worker, wanted }] of modestFirst.entries()) {
    const share = Math.min(wanted, Math.floor(left / (modestFirst.length - index)));
    shares.set(worker, share);
    left -= share;
  }
  const unsatisfied = demands
    .filter(({ worker, wanted }) => wanted > (shares.get(worker) ?? 0))
    .toSorted((one, other) => one.granted_at - other.granted_at || (one.worker < other.worker ? -1 : 1));
  for (const { worker } of unsatisfied.slice(0, left)) shares.set(worker, (shares.get(worker) ?? 0) + 1);
  return shares;
}

/** How many calls at once an endpoint bears, learned from its refusals. `calls` 0: nothing is known, so any number. */
export interface AdaptiveCalls {
  readonly calls: number;
  readonly successes: number;
  readonly halved_at: number;
  readonly refused_at: number;
}

/** What refusals taught is forgotten so long after the last one: by then the endpoint may have room again. */
const rememberedMs = 10 * 60_000;
/** Refusals that come together were caused by the same crowd: they halve once. */
const restMs = 1_000;

const nothing: AdaptiveCalls = { calls: 0, successes: 0, halved_at: 0, refused_at: 0 };

/**
 * Halves the calls that were under way when the endpoint refused one, and adds one when as many calls as may run at once have gone
 * well. `refusedMs` is the age of the youngest call that was refused, null when none was.
 */
export function adaptCalls(
  stored: AdaptiveCalls,
  { ok, refusedMs, underWay, now }: { ok: number; refusedMs: number | null; underWay: number; now: number },
): AdaptiveCalls {
  const known = isRemembered(stored, now) ? stored : nothing;
  if (refusedMs !== null) {
    const { calls, halved_at } = known;
    const began = now - refusedMs;
    // A call that began before the last halving, such as one that timed out, says nothing about the lower number.
    const halves = calls === 0 || halved_at > now || (now - halved_at >= restMs && began >= halved_at);
    if (!halves) return { ...known, successes: 0, refused_at: now };
    const refused = calls === 0 ? underWay : Math.min(calls, underWay);
    return { calls: Math.max(1, Math.floor(refused / 2)), successes: 0, halved_at: now, refused_at: now };
  }
  if (known.calls === 0) return nothing;
  let { calls } = known;
  let successes = known.successes + ok;
  for (; successes >= calls; calls += 1) successes -= calls;
  return { ...known, calls, successes };
}

/** A time that lies far ahead was stored before the host's clock started again. */
function isRemembered({ calls, refused_at }: AdaptiveCalls, now: number): boolean {
  return calls > 0 && Math.abs(now - refused_at) < rememberedMs;
}
