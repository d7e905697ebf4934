/** `progress`: a turn was stored. `end`: the run reached a final state. Listeners read the details from the store. */
type RunChange = "progress" | "end";
type RunListener = (change: RunChange) => void;

/** Notifies listeners in this process about changes of runs. Changes by other processes are found by polling the store. */
export interface RunEvents {
  changed(runId: string, change: RunChange): void;
  subscribe(runId: string, listener: RunListener): () => void;
}

export function createRunEvents(): RunEvents {
  const listeners = new Map<string, Set<RunListener>>();

  return {
    changed(runId, change) {
      for (const listener of listeners.get(runId) ?? []) listener(change);
    },
    subscribe(runId, listener) {
      const set = listeners.get(runId) ?? new Set();
      listeners.set(runId, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0) listeners.delete(runId);
      };
    },
  };
}

export interface NextChangeOptions {
  readonly events: RunEvents;
  readonly signal: AbortSignal;
  /** The poll interval; other processes change the store without an event. */
  readonly pollMs: number;
  readonly isWanted?: (change: RunChange) => boolean;
}

/**
 * Subscribes at once, so that no change is missed while the store is read. Resolves with the change, or with null at the poll
 * interval.
 */
export function nextRunChange(
  runId: string,
  { events, signal, pollMs, isWanted = () => true }: NextChangeOptions,
): { happened: Promise<RunChange | null>; stop: () => void } {
  const { promise, resolve } = Promise.withResolvers<RunChange | null>();
  const wake = (): void => resolve(null);
  const timer = setTimeout(wake, pollMs);
  const unsubscribe = events.subscribe(runId, (change) => isWanted(change) && resolve(change));
  signal.addEventListener("abort", wake, { once: true });
  return {
    happened: promise,
    stop() {
      clearTimeout(timer);
      unsubscribe();
      signal.removeEventListener("abort", wake);
    },
  };
}
