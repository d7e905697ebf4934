import { withTimeoutOrNull } from "../../../base/deadline.ts";
import type { KeyRates } from "../../../contract/ports/api-keys.ts";
import { createSlidingWindow } from "./sliding-window.ts";

export interface SharedWindowOptions {
  readonly rates: KeyRates;
  /** Tells this limit from others of the same key. */
  readonly name: string;
  /** Uses per minute, by all processes together. */
  readonly limit: number;
  readonly onError: (error: unknown) => void;
  /** How long a request waits for the database. */
  readonly leaseMs?: number;
  /** How often a database that did not answer is tried again. No request waits for that. */
  readonly retryMs?: number;
  readonly now?: () => number;
}

/** Uses that were leased for one key. */
interface Lease {
  left: number;
  granted: number;
  window: number;
  /** Until when it can be used. */
  until: number;
  /** A refusal is asked about again after a second: another process may have given back what it did not use. */
  refusedUntil: number;
  retryAt: number;
  waiting: number;
  asking: Promise<void> | null;
}

/** How long leased uses last: what is not used by then is given back with the next lease. */
const lastsMs = 1_000;

/** Counts one more use of a key: 0 when it is within the limit, else the milliseconds until one more would be. */
export type CountUse = (key: string) => number | Promise<number>;

/**
 * A limit that holds for all processes on one database. Uses are leased for about a second of the demand that a key has here, so that most
 * requests need no query. While the database does not answer, this process applies the limit by itself.
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
  const leases = new Map<string, Lease>();
  const alone = createSlidingWindow({ limit, now });
  let isAway = false;
  let nextTryAt = 0;

  function leaseOf(key: string): Lease {
    const known = leases.get(key);
    if (known) return known;
    const past = Number.NEGATIVE_INFINITY;
    const times = { until: past, refusedUntil: past, retryAt: past };
    const lease: Lease = { left: 0, granted: 0, window: 0, ...times, waiting: 0, asking: null };
    leases.set(key, lease);
    return lease;
  }

  /** Null when the database has to be asked. */
  function countHere(key: string, lease: Lease): number | null {
    const time = now();
    if (isAway) {
      if (time >= nextTryAt) void askOnce(key, lease);
      return alone.take(key);
    }
    if (lease.left > 0 && time < lease.until) {
      lease.left -= 1;
      // Known here too, for when the database goes away.
      alone.take(key);
      return 0;
    }
    return time < lease.refusedUntil ? lease.retryAt - time : null;
  }

  async function ask(key: string, lease: Lease): Promise<void> {
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

  const askOnce = (key: string, lease: Lease): Promise<void> =>
    (lease.asking ??= ask(key, lease).finally(() => (lease.asking = null)));

  async function countThere(key: string, lease: Lease): Promise<number> {
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
