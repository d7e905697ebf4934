import { untilAborted } from "../../../base/deadline.ts";

/** Lets one at a time pass for each key, in the order they came. */
interface Locks {
  /** Resolves with what gives the place to the next; rejects when `signal` aborts first. */
  acquire(key: string, signal: AbortSignal): Promise<() => void>;
}

export function createLocks(): Locks {
  const tails = new Map<string, Promise<void>>();

  return {
    async acquire(key, signal) {
      const before = tails.get(key);
      const { promise: free, resolve } = Promise.withResolvers<void>();
      const tail = before ? before.then(() => free) : free;
      tails.set(key, tail);
      const release = () => {
        resolve();
        if (tails.get(key) === tail) tails.delete(key);
      };
      if (!before) return release;
      try {
        await untilAborted(before, signal);
        return release;
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}
