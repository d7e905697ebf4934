import { withDeadline } from "./deadline.ts";

const freshMs = 30_000;
/** The time until the next attempt after a failure. */
const retryMs = 5_000;

export interface LastKnownOptions<Value> {
  readonly load: (signal: AbortSignal) => Promise<Value>;
  /** The value before the first success. Default: the first failure is thrown. */
  readonly initial?: Value;
  readonly timeoutMs?: number;
  /** A monotonic clock in milliseconds. */
  readonly clock?: () => number;
}

interface Known<Value> {
  readonly value: Value;
  /** True when the last attempt failed and this is the earlier value. */
  readonly stale: boolean;
}

/** Loads a value at most every 30 seconds, once for all callers. After a failure the last value is kept. */
export function createLastKnown<Value>({
  load,
  initial,
  timeoutMs = 10_000,
  clock = () => performance.now(),
}: LastKnownOptions<Value>): () => Promise<Known<Value>> {
  let known: Known<Value> | null = initial === undefined ? null : { value: initial, stale: true };
  let expires = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<Known<Value>> | null = null;

  async function refresh(): Promise<Known<Value>> {
    try {
      known = { value: await withDeadline(load, { ms: timeoutMs }), stale: false };
      expires = clock() + freshMs;
    } catch (error) {
      if (!known) throw error;
      known = { ...known, stale: true };
      expires = clock() + retryMs;
    }
    return known;
  }

  return async () => {
    if (known && clock() < expires) return known;
    return (refreshing ??= refresh().finally(() => (refreshing = null)));
  };
}
