export interface Notifier<Message = void> {
  /** Calls every listener in a microtask. A message announced again before that is delivered once. */
  announce(message: Message): void;
  /** Returns a function that removes the listener and says whether it was still there. */
  listen(listener: (message: Message) => void): () => boolean;
  readonly listeners: number;
  stop(): void;
}

/** Notifies listeners within this process. */
export function createNotifier<Message = void>(): Notifier<Message> {
  const listeners = new Set<(message: Message) => void>();
  const pending = new Set<Message>();

  function deliver(): void {
    const messages = [...pending];
    pending.clear();
    for (const message of messages) for (const listener of listeners) listener(message);
  }

  return {
    announce(message) {
      if (pending.size === 0) queueMicrotask(deliver);
      pending.add(message);
    },
    listen(listener) {
      // Wrapped, so that the same function may listen twice and leave once.
      const entry = (message: Message): void => listener(message);
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
    get listeners() {
      return listeners.size;
    },
    stop: () => listeners.clear(),
  };
}
