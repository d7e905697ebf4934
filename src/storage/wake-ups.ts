export interface WakeUps<News = void> {
  /** Calls every listener, after the caller's own code has run on. */
  announce(news: News): void;
  /** Returns what ends the listening; it tells whether it did. */
  listen(wake: (news: News) => void): () => boolean;
  readonly listeners: number;
  stop(): void;
}

/** Tells those who listen in this process that there may be work, or what has happened. */
export function createWakeUps<News = void>(): WakeUps<News> {
  const listeners = new Set<(news: News) => void>();
  return {
    announce(news) {
      queueMicrotask(() => {
        for (const wake of listeners) wake(news);
      });
    },
    listen(wake) {
      // Wrapped, so that the same function may listen twice and leave once.
      const listener = (news: News): void => wake(news);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    get listeners() {
      return listeners.size;
    },
    stop: () => listeners.clear(),
  };
}
