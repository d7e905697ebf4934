import type { EndpointLimits } from "../../contract/ports/limits.ts";
import type { Writer } from "../tables/database.ts";
import {
  adaptConcurrency,
  currentTat,
  grantable,
  maxMinShares,
  ratePerMinute,
  waitFor,
  type Rate,
  type SlotDemand,
} from "./algorithms.ts";

/** A worker's usage report about an endpoint, and its demand. */
export interface QuotaRequest {
  readonly endpoint: string;
  readonly worker: string;
  readonly limits: EndpointLimits;
  readonly inUse: number;
  /** Concurrent calls it would make if it could. */
  readonly wanted: number;
  /** Calls that wait to start, so as many permits are useful now. */
  readonly permits: number;
  readonly leaseMs: number;
  /** Since the last renewal: successful calls, the age of the youngest refused call, and the unused permits. */
  readonly ok: number;
  readonly refusedMs: number | null;
  readonly unusedPermits: number;
  /** Calls with known token counts, and the sum of their tokens. */
  readonly measured: { readonly calls: number; readonly tokens: number };
  readonly pauseMs: number;
}

export interface Quota {
  /** Concurrent calls this worker may make. */
  readonly slots: number;
  /** Its fair share. When less than `slots`, others wait for what it holds. */
  readonly share: number;
  /** Calls that may start; null without a rate limit. */
  readonly permits: number | null;
  /** True when it may do more than before. */
  readonly increased: boolean;
  /** How long to wait before asking again, when a pause or a rate prevents calls. */
  readonly waitMs: number;
}

/** Permits are granted this far ahead, so that a fast endpoint does not cost a transaction per call. */
const permitsAheadMs = 250;
const longestPauseMs = 60_000;

/** Reports and requests in one transaction that locks the endpoint's row, so that the sums of all workers are exact. */
export async function renewQuota(writer: Writer, now: number, request: QuotaRequest): Promise<Quota> {
  const { endpoint, worker, limits, leaseMs } = request;
  const row = await lockEndpoint(writer, endpoint);
  const paused = row.paused_until > now + longestPauseMs ? 0 : row.paused_until;
  const pausedUntil = Math.max(paused, request.pauseMs > 0 ? now + Math.min(request.pauseMs, longestPauseMs) : 0);
  const others = await writer
    .selectFrom("endpoint_slots")
    .where("endpoint", "=", endpoint)
    .select(["worker", "slots", "wanted", "granted_at", "lease_until", "shared_limit"])
    .execute();
  const live = others.filter((one) => one.worker !== worker && isLive(one.lease_until, { now, leaseMs }));
  const mine = others.find((one) => one.worker === worker);
  const wanted = Math.min(request.wanted, limits.concurrency);
  const demand = { worker, wanted, granted_at: mine?.granted_at ?? 0 };
  const inFlight = slotsOf(live) + Math.max(1, request.inUse, mine?.slots ?? 0);
  const adapted = adaptConcurrency(row, { ...request, inFlight, now });
  // Until the tokens of a call are known, a single call of one worker measures them.
  const unmeasured = Boolean(limits.tokens_per_minute) && nextAverage(row.token_average, request) === 0;
  const sharedLimit = limits.shared === false ? null : limits.concurrency;
  const { share, free } = fairSlots(demand, {
    live,
    sharedLimit,
    most: unmeasured ? 1 : adapted.calls || Number.POSITIVE_INFINITY,
  });
  const slots = Math.max(request.inUse, Math.min(share, free));
  const room = unmeasured ? slots - request.inUse : Number.POSITIVE_INFINITY;
  const rates = grantPermits(row, { request, now, room: pausedUntil > now ? 0 : room });
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

  const increased = slots > (mine?.slots ?? 0);
  await saveSlots(writer, {
    endpoint,
    worker,
    slots,
    wanted,
    shared_limit: sharedLimit,
    lease_until: now + leaseMs,
    granted_at: increased ? now : demand.granted_at,
  });
  return {
    slots,
    share,
    permits: rates.permits,
    increased: increased || (rates.permits ?? 0) > 0,
    waitMs: Math.max(rates.waitMs, pausedUntil - now, 0),
  };
}

interface LiveWorker extends SlotDemand {
  readonly slots: number;
  readonly shared_limit: number | null;
}

/**
 * A worker's fair share, and the free part of it: of the learned concurrency, which all workers share, and of the
 * configured limit, which only workers with `shared` limits share.
 */
function fairSlots(
  demand: SlotDemand,
  { live, most, sharedLimit }: { live: readonly LiveWorker[]; most: number; sharedLimit: number | null },
): { share: number; free: number } {
  const ofAll = slotsFrom(most, { demand, others: live });
  if (sharedLimit === null) return ofAll;
  const sharing = live.filter(({ shared_limit }) => shared_limit !== null);
  const lowest = Math.min(sharedLimit, ...sharing.map(({ shared_limit }) => shared_limit ?? sharedLimit));
  const ofShared = slotsFrom(lowest, { demand, others: sharing });
  return { share: Math.min(ofAll.share, ofShared.share), free: Math.min(ofAll.free, ofShared.free) };
}

function slotsFrom(calls: number, { demand, others }: { demand: SlotDemand; others: readonly LiveWorker[] }) {
  const share = maxMinShares([...others, demand], calls).get(demand.worker) ?? 0;
  return { share, free: Math.max(0, calls - slotsOf(others)) };
}

function slotsOf(workers: readonly LiveWorker[]): number {
  return workers.reduce((sum, { slots }) => sum + slots, 0);
}

/** A lease further ahead than possible was set before the host's clock restarted. */
function isLive(until: number, { now, leaseMs }: { now: number; leaseMs: number }): boolean {
  return until > now && until <= now + 4 * leaseMs;
}

async function lockEndpoint(writer: Writer, endpoint: string) {
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

function grantPermits(
  row: StoredRates,
  { request, now, room }: { request: QuotaRequest; now: number; room: number },
): StoredRates & { permits: number | null; waitMs: number } {
  const { limits, unusedPermits, measured } = request;
  const requests = limits.requests_per_minute ? ratePerMinute(limits.requests_per_minute) : null;
  const tokens = limits.tokens_per_minute ? ratePerMinute(limits.tokens_per_minute) : null;
  if (!requests && !tokens) return { ...row, permits: null, waitMs: 0 };

  const request_tat = currentTat(row.request_tat, now) - unusedPermits * (requests?.intervalMs ?? 0);
  // Replaces the charge for these calls by their real usage.
  const charged = (measured.calls + unusedPermits) * row.token_average;
  const token_tat = currentTat(row.token_tat, now) + (measured.tokens - charged) * (tokens?.intervalMs ?? 0);
  const token_average = nextAverage(row.token_average, request);
  const asked = Math.min(room, permitsToAsk(request, requests?.intervalMs));
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

function permitsToAsk({ permits }: QuotaRequest, intervalMs: number | undefined): number {
  if (permits === 0) return 0;
  return intervalMs === undefined ? permits : Math.max(permits, Math.floor(permitsAheadMs / intervalMs));
}

/** Calls that may start before earlier calls have reported their tokens. The last one may exceed the rest. */
function startable({ burstMs }: Rate, { aheadMs, costMs }: { aheadMs: number; costMs: number }): number {
  if (aheadMs > burstMs) return 0;
  return costMs === 0 ? 1 : 1 + Math.floor((burstMs - aheadMs) / costMs);
}

/** The cost of a call when the endpoint reports no tokens: almost zero, but distinct from "unknown yet" (0). */
const noTokens = 1e-6;

/** Moving average of the tokens of a call. Follows quickly at first. */
function nextAverage(
  average: number,
  { ok, measured: { calls, tokens } }: Pick<QuotaRequest, "ok" | "measured">,
): number {
  if (calls === 0) return average === 0 && ok > 0 ? noTokens : average;
  const measured = Math.max(noTokens, tokens / calls);
  return average <= noTokens ? measured : average + (measured - average) * Math.min(1, 0.1 * calls);
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

async function saveSlots(writer: Writer, { endpoint, worker, ...row }: SlotsRow): Promise<void> {
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
