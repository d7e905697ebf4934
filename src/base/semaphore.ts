/** Limits how many tasks run at the same time. Waiting tasks start in the order in which they arrived. */
export interface Semaphore {
  /** Runs the task as soon as a permit is free for it and its owner. Rejects when `signal` aborts before that. */
  take<Result>(signal: AbortSignal, work: () => Promise<Result>, owner?: string | null): Promise<Result>;
  readonly taken: number;
  readonly waiting: number;
}

interface Waiter {
  readonly owner: string | null;
  readonly start: () => void;
}

/**
 * Beyond `count`, an owner gets a spare permit only while it holds fewer permits than are free, so that one owner never holds
 * all of them.
 */
export function createSemaphore(count: number, { spare = 0 }: { spare?: number } = {}): Semaphore {
  const total = Math.max(1, count) + spare;
  const waiters = new Set<Waiter>();
  const heldBy = new Map<string | null, number>();
  let free = total;

  function mayAcquire(owner: string | null): boolean {
    return free > spare || (heldBy.get(owner) ?? 0) < free;
  }

  function acquire(owner: string | null): void {
    free -= 1;
    heldBy.set(owner, (heldBy.get(owner) ?? 0) + 1);
  }

  /** Hands the permit to a waiter at once: a task that arrives in this moment must not overtake the queue. */
  function release(owner: string | null): void {
    free += 1;
    const held = (heldBy.get(owner) ?? 0) - 1;
    if (held > 0) heldBy.set(owner, held);
    else heldBy.delete(owner);
    for (const waiter of waiters) {
      if (free === 0) break;
      if (!mayAcquire(waiter.owner)) continue;
      waiters.delete(waiter);
      acquire(waiter.owner);
      waiter.start();
    }
  }

  /** Resolves when `release` has acquired a permit for the owner. */
  function wait(owner: string | null, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        owner,
        start() {
          signal.removeEventListener("abort", leave);
          resolve();
        },
      };
      const leave = (): void => {
        waiters.delete(waiter);
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      waiters.add(waiter);
    });
  }

  return {
    async take(signal, work, owner = null) {
      signal.throwIfAborted();
      if (mayAcquire(owner)) acquire(owner);
      else await wait(owner, signal);
      try {
        signal.throwIfAborted();
        return await work();
      } finally {
        release(owner);
      }
    },
    get taken() {
      return total - free;
    },
    get waiting() {
      return waiters.size;
    },
  };
}
