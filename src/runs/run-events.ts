/** `progress`: a turn was stored. `end`: the run reached a final state. Listeners read the details from the store. */
export type RunChange = "progress" | "end";
type RunListener = (change: RunChange) => void;

/** Wakes whoever waits for a run in this process. Other processes are noticed by polling the store. */
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
