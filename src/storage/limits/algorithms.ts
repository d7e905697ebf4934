/** Algorithms of endpoint limits as pure functions: GCRA for rates, AIMD for concurrency, max-min fairness for shares. */

/**
 * A rate limit by the generic cell rate algorithm: `tat` (theoretical arrival time) is when everything granted so far
 * would have arrived at an even pace. It may run ahead of the clock by `burstMs`.
 */
export interface Rate {
  /** Milliseconds between two units. */
  readonly intervalMs: number;
  readonly burstMs: number;
}

/** A stored `tat` further ahead was stored before the host's clock restarted. */
const furthestMs = 3_600_000;

const burstMs = 1_000;
/** Permits may be used this much later than they were granted. */
export const permitsLastMs = 500;
/**
 * A call may arrive this much later than it was permitted: the endpoint counts arrivals, and the network takes time.
 */
export const lateMs = permitsLastMs + 500;

/**
 * Allows a burst of one second, and always one unit. Intervals are longer to make up for bursts and late calls, so that
 * no minute exceeds the limit.
 */
export function ratePerMinute(perMinute: number): Rate {
  const evenly = (60_000 + lateMs) / perMinute;
  if (evenly >= burstMs) return { intervalMs: evenly, burstMs: evenly };
  return { intervalMs: (60_000 + burstMs + lateMs) / (perMinute + 1), burstMs };
}

export function currentTat(tat: number, now: number): number {
  return tat > now + furthestMs ? now : Math.max(tat, now);
}

/**
 * How far `tat` runs ahead. Subtracted first: added to a time since 1970, a fraction of a millisecond would be rounded
 * away.
 */
const aheadMs = (tat: number, now: number): number => currentTat(tat, now) - now;

/** How many units may be granted now, up to `most`. */
export function grantable(rate: Rate, { tat, now, most }: { tat: number; now: number; most: number }): number {
  const room = rate.burstMs - aheadMs(tat, now);
  return Math.max(0, Math.min(most, Math.floor(room / rate.intervalMs + 1e-9)));
}

/** How long until one unit may be granted. */
export function waitFor(rate: Rate, { tat, now }: { tat: number; now: number }): number {
  return Math.max(0, Math.ceil(aheadMs(tat, now) + rate.intervalMs - rate.burstMs));
}

/** The concurrency an endpoint bears, learned from its refusals. `calls` 0: unknown, so unlimited. */
export interface LearnedConcurrency {
  readonly calls: number;
  readonly successes: number;
  readonly halved_at: number;
  readonly refused_at: number;
}

/** Learned limits expire this long after the last refusal: the endpoint may have room again. */
const rememberedMs = 10 * 60_000;

/** Refusals within this time were caused by the same burst: they halve once. */
const halvingIntervalMs = 1_000;

const unlimited: LearnedConcurrency = { calls: 0, successes: 0, halved_at: 0, refused_at: 0 };

/**
 * Additive increase, multiplicative decrease: halves the concurrency when the endpoint refuses a call, and adds one
 * after as many successes. `refusedMs` is the age of the youngest refused call, null when none was refused.
 */
export function adaptConcurrency(
  stored: LearnedConcurrency,
  { ok, refusedMs, inFlight, now }: { ok: number; refusedMs: number | null; inFlight: number; now: number },
): LearnedConcurrency {
  const known = isRemembered(stored, now) ? stored : unlimited;
  if (refusedMs !== null) {
    const { calls, halved_at } = known;
    const began = now - refusedMs;
    // A call that began before the last halving, such as one that timed out, says nothing about the lower number.
    const halves = calls === 0 || halved_at > now || (now - halved_at >= halvingIntervalMs && began >= halved_at);
    if (!halves) return { ...known, successes: 0, refused_at: now };
    const refused = calls === 0 ? inFlight : Math.min(calls, inFlight);
    return { calls: Math.max(1, Math.floor(refused / 2)), successes: 0, halved_at: now, refused_at: now };
  }
  if (known.calls === 0) return unlimited;
  let { calls } = known;
  let successes = known.successes + ok;
  for (; successes >= calls; calls += 1) successes -= calls;
  return { ...known, calls, successes };
}

/** A time far in the future was stored before the host's clock restarted. */
function isRemembered({ calls, refused_at }: LearnedConcurrency, now: number): boolean {
  return calls > 0 && Math.abs(now - refused_at) < rememberedMs;
}

/** The concurrency that one worker asks for. */
export interface SlotDemand {
  readonly worker: string;
  readonly wanted: number;
  readonly granted_at: number;
}

/**
 * Max-min fairness: no worker gets more than it wants, unused shares go to the others, and a remainder too small for
 * all goes to those that waited longest.
 */
export function maxMinShares(demands: readonly SlotDemand[], calls: number): ReadonlyMap<string, number> {
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
