/** Lets a fixed number of works go on at the same time; the others wait for their turn, in the order they came. */
export interface Places {
  /** Does the work as soon as there is a place for it, and for its owner. Rejects when `signal` aborts before. */
  take<Result>(signal: AbortSignal, work: () => Promise<Result>, owner?: string | null): Promise<Result>;
  readonly taken: number;
  readonly waiting: number;
}

interface Waiting {
  readonly owner: string | null;
  readonly begin: () => void;
}

/** Of `spare` places beyond `count`, an owner gets one only while it has fewer than are left: what one owner does never takes all. */
export function createPlaces(count: number, { spare = 0 }: { spare?: number } = {}): Places {
  const all = Math.max(1, count) + spare;
  const waiting = new Set<Waiting>();
  const owned = new Map<string | null, number>();
  let left = all;

  function mayTake(owner: string | null): boolean {
    return left > spare || (owned.get(owner) ?? 0) < left;
  }

  function give(owner: string | null): void {
    left -= 1;
    owned.set(owner, (owned.get(owner) ?? 0) + 1);
  }

  /** A place is handed over, never free in between: whoever comes just then must not overtake the line. */
  function giveBack(owner: string | null): void {
    left += 1;
    const still = (owned.get(owner) ?? 0) - 1;
    if (still > 0) owned.set(owner, still);
    else owned.delete(owner);
    for (const next of waiting) {
      if (left === 0) break;
      if (!mayTake(next.owner)) continue;
      waiting.delete(next);
      give(next.owner);
      next.begin();
    }
  }

  function inLine(owner: string | null, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        owner,
        begin() {
          signal.removeEventListener("abort", leave);
          resolve();
        },
      };
      const leave = (): void => {
        waiting.delete(entry);
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      waiting.add(entry);
    });
  }

  return {
    async take(signal, work, owner = null) {
      signal.throwIfAborted();
      if (mayTake(owner)) give(owner);
      else await inLine(owner, signal);
      try {
        signal.throwIfAborted();
        return await work();
      } finally {
        giveBack(owner);
      }
    },
    get taken() {
      return all - left;
    },
    get waiting() {
      return waiting.size;
    },
  };
}
