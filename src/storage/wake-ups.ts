export interface WakeUps {
  /** Calls every listener, after the caller's own code has run on. */
  announce(): void;
  /** Returns what ends the listening; it tells whether it did. */
  listen(wake: () => void): () => boolean;
  stop(): void;
}

/** Tells those who listen in this process that there may be work. */
export function createWakeUps(): WakeUps {
  const listeners = new Set<() => void>();
  return {
    announce() {
      queueMicrotask(() => {
        for (const wake of listeners) wake();
      });
    },
    listen(wake) {
      // Wrapped, so that the same function may listen twice and leave once.
      const listener = (): void => wake();
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: () => listeners.clear(),
  };
}
