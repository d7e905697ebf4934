/** How often each key may do something within a window of time. */
export interface SlidingWindow {
  /** Counts one more. Returns 0 when it is within the limit, else the milliseconds until one more would be. */
  take(key: string): number;
  /** The milliseconds until one more would be within the limit, without counting; 0 when it would be now. */
  wait(key: string): number;
}

interface Counts {
  start: number;
  current: number;
  previous: number;
}

interface SlidingWindowOptions {
  readonly limit: number;
  readonly windowMs?: number;
  /** Beyond this many keys the oldest are forgotten: memory stays bounded whoever calls. */
  readonly mostKeys?: number;
  readonly now?: () => number;
}

/**
 * Counts per fixed window and weighs the one before by how much of it still lies within the last `windowMs`: two numbers
 * for each key, and no burst of twice the limit around the border of two windows.
 */
export function createSlidingWindow({
  limit,
  windowMs = 60_000,
  mostKeys = 10_000,
  now = () => performance.now(),
}: SlidingWindowOptions): SlidingWindow {
  const entries = new Map<string, Counts>();

  function read(key: string): Counts {
    const start = Math.floor(now() / windowMs) * windowMs;
    const known = entries.get(key);
    if (known?.start === start) return known;
    const previous = known?.start === start - windowMs ? known.current : 0;
    return { start, current: 0, previous };
  }

  function remember(key: string, counts: Counts): void {
    entries.delete(key);
    entries.set(key, counts);
    const [oldest] = entries.size > mostKeys ? entries.keys() : [];
    if (oldest !== undefined) entries.delete(oldest);
  }

  function waitFor({ start, current, previous }: Counts): number {
    const elapsed = now() - start;
    const weighed = current + previous * (1 - elapsed / windowMs);
    if (weighed + 1 <= limit) return 0;
    const rest = windowMs - elapsed;
    // Within this window only the earlier counts fade; what this window holds fades in the next one.
    if (current + 1 <= limit) return Math.max(1, (1 - (limit - 1 - current) / previous) * windowMs - elapsed);
    return rest + Math.max(0, (1 - (limit - 1) / current) * windowMs);
  }

  return {
    take(key) {
      const counts = read(key);
      const wait = waitFor(counts);
      if (wait === 0) counts.current += 1;
      remember(key, counts);
      return wait;
    },
    wait: (key) => waitFor(read(key)),
  };
}
