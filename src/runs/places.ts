import type { ChatModel } from "../contract/model.ts";

/** Places for calls in this process. Whoever has waited longest of those who may have one gets the next one. */
export interface Places {
  /** Resolves with a place, to be given back by calling what it resolves with. Rejects when `signal` aborts first. */
  take(owner: string | null, signal: AbortSignal): Promise<() => void> | (() => void);
}

interface Waiting {
  readonly owner: string | null;
  readonly begin: () => void;
}

/** Of `spare` places beyond `count`, an owner gets one only while it has fewer calls under way than are left: see `shareOut`. */
export function createPlaces(count: number, spare = 0): Places {
  const waiting = new Set<Waiting>();
  const taken = new Map<string | null, number>();
  let left = count + spare;

  function mayTake(owner: string | null): boolean {
    return left > spare || (taken.get(owner) ?? 0) < left;
  }

  function give(owner: string | null): () => void {
    left -= 1;
    taken.set(owner, (taken.get(owner) ?? 0) + 1);
    return () => giveBack(owner);
  }

  function giveBack(owner: string | null): void {
    left += 1;
    const still = (taken.get(owner) ?? 0) - 1;
    if (still > 0) taken.set(owner, still);
    else taken.delete(owner);
    for (const one of waiting) {
      if (!mayTake(one.owner)) continue;
      waiting.delete(one);
      one.begin();
    }
  }

  function wait(owner: string | null, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting.delete(entry);
        reject(signal.reason);
      };
      const entry: Waiting = {
        owner,
        begin() {
          signal.removeEventListener("abort", leave);
          resolve(give(owner));
        },
      };
      signal.addEventListener("abort", leave, { once: true });
      waiting.add(entry);
    });
  }

  return {
    take(owner, signal) {
      signal.throwIfAborted();
      return mayTake(owner) ? give(owner) : wait(owner, signal);
    },
  };
}

/** A model whose every call needs a place in this process, and holds it only while the model is asked. */
export function callInPlace(
  model: ChatModel,
  { places, owner = null }: { places: Places; owner?: string | null | undefined },
): ChatModel {
  return async (request, options) => {
    const giveBack = await places.take(owner, options.signal);
    try {
      return await model(request, options);
    } finally {
      giveBack();
    }
  };
}
