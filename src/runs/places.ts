import type { ChatModel } from "../contract/model.ts";

/** Places for calls in this process. Whoever has waited longest gets the next one. */
export interface Places {
  /** Resolves with a place, to be given back by calling what it resolves with. Rejects when `signal` aborts first. */
  take(signal: AbortSignal): Promise<() => void> | (() => void);
}

interface Waiting {
  readonly begin: () => void;
}

export function createPlaces(count: number): Places {
  const waiting = new Set<Waiting>();
  let free = count;

  function giveBack(): void {
    const [next] = waiting;
    if (!next) {
      free += 1;
      return;
    }
    waiting.delete(next);
    next.begin();
  }

  function wait(signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting.delete(entry);
        reject(signal.reason);
      };
      const entry: Waiting = {
        begin() {
          signal.removeEventListener("abort", leave);
          resolve(giveBack);
        },
      };
      signal.addEventListener("abort", leave, { once: true });
      waiting.add(entry);
    });
  }

  return {
    take(signal) {
      signal.throwIfAborted();
      if (free === 0) return wait(signal);
      free -= 1;
      return giveBack;
    },
  };
}

/** A model whose every call needs a place in this process, and holds it only while the model is asked. */
export function callInPlace(model: ChatModel, places: Places): ChatModel {
  return async (request, options) => {
    const giveBack = await places.take(options.signal);
    try {
      return await model(request, options);
    } finally {
      giveBack();
    }
  };
}
