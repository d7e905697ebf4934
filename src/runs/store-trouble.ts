import { isStoreFailure, type ServiceError } from "../contract/errors.ts";

/** Sees the failures of a process and tells when its store has taken nothing for so long that nobody should wait for its runs. */
export interface StoreTrouble {
  /** Something failed; whether that was the store is found out here. */
  failed(error: unknown): void;
  /** The store has taken a reply. */
  over(): void;
  /** Calls back with each failure from when it has lasted. */
  onLasting(tell: (error: ServiceError) => void): void;
}

/** As long as whoever waits for a run waits for a store that cannot be read. */
const longestMs = 15_000;
/** A write waits for a server for 15 seconds and may be the only one: when nothing failed for twice as long, the trouble before is over. */
const pauseMs = 2 * longestMs;

export function createStoreTrouble(now: () => number = () => performance.now()): StoreTrouble {
  let since = Number.NEGATIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  const listeners: ((error: ServiceError) => void)[] = [];

  return {
    failed(error) {
      if (!isStoreFailure(error)) return;
      const at = now();
      if (at - last > pauseMs) since = at;
      last = at;
      if (at - since >= longestMs) for (const tell of listeners) tell(error);
    },
    over() {
      last = Number.NEGATIVE_INFINITY;
    },
    onLasting: (tell) => void listeners.push(tell),
  };
}
