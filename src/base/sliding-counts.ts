/**
 * A sliding window counter: uses in the current fixed window and in the one before it. The earlier window is weighted by its share
 * of the last `windowMs`, which needs two numbers per key and allows no burst of twice the limit at the border of two windows.
 */
export interface SlidingCounts {
  readonly start: number;
  readonly current: number;
  readonly previous: number;
}

/** A limit and the time at which it is checked, on any clock. */
export interface SlidingLimit {
  readonly limit: number;
  readonly windowMs: number;
  readonly now: number;
}

/** Moves earlier counts to the window of `now`. */
export function countsAt(known: SlidingCounts | undefined, { windowMs, now }: SlidingLimit): SlidingCounts {
  const start = Math.floor(now / windowMs) * windowMs;
  if (known?.start === start) return known;
  const previous = known?.start === start - windowMs ? known.current : 0;
  return { start, current: 0, previous };
}

/** The number of further uses the limit allows. */
export function usesLeft({ start, current, previous }: SlidingCounts, { limit, windowMs, now }: SlidingLimit): number {
  const weighted = current + previous * (1 - (now - start) / windowMs);
  return Math.max(0, Math.floor(limit - weighted));
}

/** Milliseconds until the limit allows one more use; 0 when it allows one now. */
export function waitForUse(counts: SlidingCounts, at: SlidingLimit): number {
  const { start, current, previous } = counts;
  const { limit, windowMs, now } = at;
  if (usesLeft(counts, at) > 0) return 0;
  const elapsed = now - start;
  // Within this window only the earlier counts fade; those of this window fade in the next one.
  if (current + 1 <= limit) return Math.max(1, (1 - (limit - 1 - current) / previous) * windowMs - elapsed);
  return windowMs - elapsed + Math.max(0, (1 - (limit - 1) / current) * windowMs);
}
