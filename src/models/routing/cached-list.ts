export interface CachedListOptions<Item> {
  readonly load: (signal: AbortSignal) => Promise<readonly Item[]>;
  readonly ttlMs?: number;
  /** How long a failed list is left alone. */
  readonly retryMs?: number;
  readonly timeoutMs?: number;
  /** Milliseconds that never run backwards. */
  readonly clock?: () => number;
}

/** A list that is asked for at most once per `ttlMs`. When that fails the last one stands; before any, it is empty. */
export function createCachedList<Item>({
  load,
  ttlMs = 30_000,
  retryMs = 5_000,
  timeoutMs = 10_000,
  clock = () => performance.now(),
}: CachedListOptions<Item>): () => Promise<readonly Item[]> {
  let known: readonly Item[] = [];
  let expires = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<void> | null = null;

  async function refresh(): Promise<void> {
    try {
      known = await within(load, timeoutMs);
      expires = clock() + ttlMs;
    } catch {
      expires = clock() + retryMs;
    }
  }

  return async () => {
    if (clock() < expires) return known;
    refreshing ??= refresh().finally(() => {
      refreshing = null;
    });
    await refreshing;
    return known;
  };
}

/** Ends at the deadline even when the source does not listen to its signal. */
async function within<Result>(work: (signal: AbortSignal) => Promise<Result>, timeoutMs: number): Promise<Result> {
  const controller = new AbortController();
  const { promise: deadline, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new Error(`No list within ${timeoutMs} ms`);
    controller.abort(error);
    reject(error);
  }, timeoutMs);
  try {
    return await Promise.race([work(controller.signal), deadline]);
  } finally {
    clearTimeout(timer);
  }
}
