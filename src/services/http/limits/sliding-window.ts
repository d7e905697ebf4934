import { countsAt, waitForUse, type SlidingCounts, type SlidingLimit } from "../../../base/sliding-counts.ts";

/** How often each key may do something within a window of time. */
export interface SlidingWindow {
  /** Counts one more. Returns 0 when it is within the limit, else the milliseconds until one more would be. */
  take(key: string): number;
  /** The milliseconds until one more would be within the limit, without counting; 0 when it would be now. */
  wait(key: string): number;
}

interface SlidingWindowOptions {
  readonly limit: number;
  readonly windowMs?: number;
  /** Beyond this many keys the oldest are forgotten: memory stays bounded whoever calls. */
  readonly mostKeys?: number;
  readonly now?: () => number;
}

/** Counts in this process. */
export function createSlidingWindow({
  limit,
  windowMs = 60_000,
  mostKeys = 10_000,
  now = () => performance.now(),
}: SlidingWindowOptions): SlidingWindow {
  const entries = new Map<string, SlidingCounts>();
  const limitNow = (): SlidingLimit => ({ limit, windowMs, now: now() });

  function remember(key: string, counts: SlidingCounts): void {
    entries.delete(key);
    entries.set(key, counts);
    const [oldest] = entries.size > mostKeys ? entries.keys() : [];
    if (oldest !== undefined) entries.delete(oldest);
  }

  return {
    take(key) {
      const at = limitNow();
      const counts = countsAt(entries.get(key), at);
      const wait = waitForUse(counts, at);
      remember(key, wait === 0 ? { ...counts, current: counts.current + 1 } : counts);
      return wait;
    },
    wait(key) {
      const at = limitNow();
      return waitForUse(countsAt(entries.get(key), at), at);
    },
  };
}
