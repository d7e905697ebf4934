export interface WakeUps<News = void> {
  /** Calls every listener, after the caller's own code has run on. News that is told again before that is told once. */
  announce(news: News): void;
  /** Returns what ends the listening; it tells whether it did. */
  listen(wake: (news: News) => void): () => boolean;
  readonly listeners: number;
  stop(): void;
}

/** Tells those who listen in this process that there may be work, or what has happened. */
export function createWakeUps<News = void>(): WakeUps<News> {
  const listeners = new Set<(news: News) => void>();
  const untold = new Set<News>();

  function tell(): void {
    const told = [...untold];
    untold.clear();
    for (const news of told) for (const wake of listeners) wake(news);
  }

  return {
    announce(news) {
      if (untold.size === 0) queueMicrotask(tell);
      untold.add(news);
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
