import { untilAborted } from "../base/deadline.ts";

const freshMs = 30_000;
/** How long something that failed is left alone. */
const retryMs = 5_000;

export interface LastKnownOptions<Value> {
  /** What is asked for, as an error names it. */
  readonly noun: string;
  readonly load: (signal: AbortSignal) => Promise<Value>;
  /** Stands until something is known. Default: a failure is the caller's then. */
  readonly initial?: Value;
  readonly timeoutMs?: number;
  /** Milliseconds that never run backwards. */
  readonly clock?: () => number;
}

interface Known<Value> {
  readonly value: Value;
  /** True when asking failed and this is what was said before. */
  readonly stale: boolean;
}

/** Asks at most once in 30 seconds, for all callers together. When that fails the last answer stands. */
export function createLastKnown<Value>({
  noun,
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
      known = { value: await withinDeadline(noun, timeoutMs, load), stale: false };
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

/** Ends at the deadline even when the work does not listen to its signal; `what` names it in the error. */
export async function withinDeadline<Result>(
  what: string,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Error(`${what} took longer than ${timeoutMs} ms`)), timeoutMs);
  try {
    return await untilAborted(work(controller.signal), controller.signal);
  } finally {
    clearTimeout(timer);
  }
}
