import { longestTimer } from "../../../base/deadline.ts";
import { ServiceError } from "../../../contract/errors/errors.ts";
import type { TurnObserver } from "./turn.ts";

/** Counts running turns, so that a service that stops can let them end: some have no client that waits for them. */
export interface ActiveTurns {
  readonly observe: TurnObserver;
  /** Aborts when the service begins to stop. */
  readonly draining: AbortSignal;
  /** Aborts when a stopping service no longer waits for running turns. */
  readonly overdue: AbortSignal;
  /** Counts the work as running until it settles. */
  track<Result>(work: Promise<Result>): Promise<Result>;
  /** Resolves when nothing is running. After `ms` milliseconds, remaining turns are cancelled and get a moment to record that. */
  drain(ms: number): Promise<void>;
}

/** Cancelling is immediate, but recording it in the store may take a moment. */
const recordMs = 1_000;

export function createActiveTurns(): ActiveTurns {
  const draining = new AbortController();
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
    draining: draining.signal,
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
    async track(work) {
      begin();
      try {
        return await work;
      } finally {
        end();
      }
    },
    async drain(ms) {
      draining.abort();
      await settle(ms);
      overdue.abort(new ServiceError("shutting_down", "The service stopped before the turn ended."));
      await settle(recordMs);
    },
  };
}
