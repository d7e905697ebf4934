/**
 * A rate as a generic cell rate: `tat` is the time at which everything granted so far would have arrived had it come
 * evenly. It may run ahead of the clock by `burstMs`.
 */
export interface Rate {
  /** Milliseconds between two units. */
  readonly intervalMs: number;
  readonly burstMs: number;
}

/** The times a stored `tat` may lie ahead. Further ahead, it was stored before the host's clock started again. */
const furthestMs = 3_600_000;

const burstMs = 1_000;
/** Permits may be used this much later than they were granted. */
export const permitsLastMs = 500;
/** A call may arrive this much later than it was permitted: the endpoint counts what arrives, and the way there takes its time. */
export const lateMs = permitsLastMs + 500;

/**
 * At most a second's worth may come at once, and one unit always. A burst, and calls that arrive late, make up for
 * longer intervals, so that no minute has more than allowed.
 */
export function ratePerMinute(perMinute: number): Rate {
  const evenly = (60_000 + lateMs) / perMinute;
  if (evenly >= burstMs) return { intervalMs: evenly, burstMs: evenly };
  return { intervalMs: (60_000 + burstMs + lateMs) / (perMinute + 1), burstMs };
}

export function currentTat(tat: number, now: number): number {
  return tat > now + furthestMs ? now : Math.max(tat, now);
}

/** How far `tat` runs ahead. Taken before anything is added: beside a time since 1970, a fraction of a millisecond is rounded away. */
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
