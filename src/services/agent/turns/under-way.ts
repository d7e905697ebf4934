import { longestTimer } from "../../../base/deadline.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { TurnObserver } from "./turn.ts";

/** Knows what is under way, so that a service that stops can let it end: not every turn has a client that waits for it. */
export interface UnderWay {
  readonly observe: TurnObserver;
  /** Aborts when a service that stops waits no longer for what is under way. */
  readonly overdue: AbortSignal;
  /** Counts the work until it is settled. */
  follow<Result>(work: Promise<Result>): Promise<Result>;
  /** Resolves when nothing is left. What is left after so many milliseconds is broken off, and has a moment to say so. */
  ended(ms: number): Promise<void>;
}

/** Breaking off takes no time worth the name, but writing down that it happened may. */
const farewellMs = 1_000;

export function createUnderWay(): UnderWay {
  const overdue = new AbortController();
  let count = 0;
  let onEnd: (() => void) | null = null;
  const begin = (): void => void (count += 1);
  const end = (): void => {
    count -= 1;
    if (count === 0) onEnd?.();
  };

  async function settle(ms: number): Promise<void> {
    if (count === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    onEnd = resolve;
    const timer = setTimeout(resolve, Math.min(ms, longestTimer));
    await promise;
    clearTimeout(timer);
  }

  return {
    overdue: overdue.signal,
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
      await settle(ms);
      overdue.abort(new ServiceError("shutting_down", "The service stops before the turn has ended."));
      await settle(farewellMs);
    },
  };
}
