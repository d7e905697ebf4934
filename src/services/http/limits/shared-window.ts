import { withTimeoutOrNull } from "../../../base/deadline.ts";
import type { KeyRates } from "../../../contract/ports/api-keys.ts";
import { createSlidingWindow } from "./sliding-window.ts";

interface SharedWindowOptions {
  readonly rates: KeyRates;
  /** Identifies this limit among those of the same key. */
  readonly name: string;
  /** Uses per minute of all processes together. */
  readonly limit: number;
  readonly onError: (error: unknown) => void;
  /** The time that a request waits for the database. */
  readonly leaseMs?: number;
  /** The interval at which an unresponsive database is tried again. No request waits for that. */
  readonly retryMs?: number;
  readonly now?: () => number;
}

/** The uses leased for one key. */
interface WindowLease {
  left: number;
  granted: number;
  window: number;
  /** The end of the lease. */
  until: number;
  /** A refusal is checked again after a second: another process may have returned unused uses. */
  refusedUntil: number;
  retryAt: number;
  waiting: number;
  asking: Promise<void> | null;
}

/** The duration of a lease: unused uses are returned with the next one. */
const lastsMs = 1_000;

/** Counts a use of a key. Returns 0 within the limit, else the milliseconds until one more is allowed. */
export type CountUse = (key: string) => number | Promise<number>;

/**
 * A limit that all processes on one database share. Each process leases about a second's worth of a key's uses, so that most requests
 * need no query. While the database does not respond, each process applies the limit by itself.
 */
export function createSharedWindow({
  rates,
  name,
  limit,
  onError,
  leaseMs = 2_000,
  retryMs = 2_000,
  now = () => performance.now(),
}: SharedWindowOptions): CountUse {
  const leases = new Map<string, WindowLease>();
  const alone = createSlidingWindow({ limit, now });
  let isAway = false;
  let nextTryAt = 0;

  function leaseOf(key: string): WindowLease {
    const known = leases.get(key);
    if (known) return known;
    const past = Number.NEGATIVE_INFINITY;
    const times = { until: past, refusedUntil: past, retryAt: past };
    const lease: WindowLease = { left: 0, granted: 0, window: 0, ...times, waiting: 0, asking: null };
    leases.set(key, lease);
    return lease;
  }

  /** Null when the database must be queried. */
  function countHere(key: string, lease: WindowLease): number | null {
    const time = now();
    if (isAway) {
      if (time >= nextTryAt) void askOnce(key, lease);
      return alone.take(key);
    }
    if (lease.left > 0 && time < lease.until) {
      lease.left -= 1;
      // Counted locally too, for when the database becomes unavailable.
      alone.take(key);
      return 0;
    }
    return time < lease.refusedUntil ? lease.retryAt - time : null;
  }

  async function ask(key: string, lease: WindowLease): Promise<void> {
    const isBusy = now() < lease.until;
    const wanted = Math.max(lease.waiting, isBusy ? Math.min(2 * lease.granted, Math.ceil(limit / 10)) : 1);
    const unused = lease.left > 0 ? { granted: lease.left, window: lease.window } : undefined;
    lease.left = 0;
    nextTryAt = now() + retryMs;
    const asked = rates.lease({ name: `${name} ${key}`, limit, wanted, unused });
    const answer = await withTimeoutOrNull(asked, leaseMs).catch((error: unknown) => (onError(error), null));
    isAway = answer === null;
    if (answer === null) return;
    const { granted, window, waitMs } = answer;
    Object.assign(lease, { granted, window, left: granted, until: now() + lastsMs });
    if (granted > 0) return;
    lease.retryAt = now() + waitMs;
    lease.refusedUntil = Math.min(lease.retryAt, now() + lastsMs);
  }

  const askOnce = (key: string, lease: WindowLease): Promise<void> =>
    (lease.asking ??= ask(key, lease).finally(() => (lease.asking = null)));

  async function countThere(key: string, lease: WindowLease): Promise<number> {
    for (;;) {
      lease.waiting += 1;
      await askOnce(key, lease);
      lease.waiting -= 1;
      const wait = countHere(key, lease);
      if (wait !== null) return wait;
    }
  }

  return (key) => {
    const lease = leaseOf(key);
    return countHere(key, lease) ?? countThere(key, lease);
  };
}
