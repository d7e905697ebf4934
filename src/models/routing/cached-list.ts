import { withinDeadline } from "../within-deadline.ts";

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
      known = await withinDeadline("The list", timeoutMs, load);
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
