import type { TurnObserver } from "./turn.ts";

/** Knows what is under way, so that a service that stops can let it end: not every turn has a client that waits for it. */
export interface UnderWay {
  readonly observe: TurnObserver;
  /** Counts the work until it is settled. */
  follow<Result>(work: Promise<Result>): Promise<Result>;
  /** Resolves when nothing is left, at the latest after so many milliseconds. */
  ended(ms: number): Promise<void>;
}

export function createUnderWay(): UnderWay {
  let count = 0;
  let onEnd: (() => void) | null = null;
  const begin = (): void => void (count += 1);
  const end = (): void => {
    count -= 1;
    if (count === 0) onEnd?.();
  };

  return {
    observe() {
      let begun = false;
      return {
        onEvent({ type }) {
          if (type !== "run-start") return;
          begun = true;
          begin();
        },
        onEnd() {
          if (begun) end();
        },
      };
    },
    async follow(work) {
      begin();
      try {
        return await work;
      } finally {
        end();
      }
    },
    async ended(ms) {
      if (count === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      onEnd = resolve;
      const timer = setTimeout(resolve, ms);
      await promise;
      clearTimeout(timer);
    },
  };
}
