import { countsAt, waitForUse, type SlidingCounts, type SlidingLimit } from "../../../base/sliding-counts.ts";

/** Limits the uses of each key within a window of time. */
interface SlidingWindow {
  /** Counts a use. Returns 0 within the limit, else the milliseconds until one more is allowed. */
  take(key: string): number;
  /** The milliseconds until one more use is allowed, without counting one. */
  wait(key: string): number;
}

interface SlidingWindowOptions {
  readonly limit: number;
  readonly windowMs?: number;
  /** Beyond this many keys the oldest are forgotten, so that memory stays bounded. */
  readonly mostKeys?: number;
  readonly now?: () => number;
}

/** A window that counts in this process. */
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
