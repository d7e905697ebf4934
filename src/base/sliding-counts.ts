/**
 * Uses within a fixed window of time and within the one before it, which counts by its share that still lies within the last
 * `windowMs`: two numbers for each key, and no burst of twice the limit around the border of two windows.
 */
export interface SlidingCounts {
  readonly start: number;
  readonly current: number;
  readonly previous: number;
}

/** The limit, and the time it is judged at, on any clock. */
export interface SlidingLimit {
  readonly limit: number;
  readonly windowMs: number;
  readonly now: number;
}

/** Earlier counts, moved on to the window of `now`. */
export function countsAt(known: SlidingCounts | undefined, { windowMs, now }: SlidingLimit): SlidingCounts {
  const start = Math.floor(now / windowMs) * windowMs;
  if (known?.start === start) return known;
  const previous = known?.start === start - windowMs ? known.current : 0;
  return { start, current: 0, previous };
}

/** How many more uses the limit allows. */
export function usesLeft({ start, current, previous }: SlidingCounts, { limit, windowMs, now }: SlidingLimit): number {
  const weighed = current + previous * (1 - (now - start) / windowMs);
  return Math.max(0, Math.floor(limit - weighed));
}

/** The milliseconds until the limit allows one more use; 0 when it does now. */
export function waitForUse(counts: SlidingCounts, at: SlidingLimit): number {
  const { start, current, previous } = counts;
  const { limit, windowMs, now } = at;
  if (usesLeft(counts, at) > 0) return 0;
  const elapsed = now - start;
  // Within this window only the earlier counts fade; what this window holds fades in the next one.
  if (current + 1 <= limit) return Math.max(1, (1 - (limit - 1 - current) / previous) * windowMs - elapsed);
  return windowMs - elapsed + Math.max(0, (1 - (limit - 1) / current) * windowMs);
}
