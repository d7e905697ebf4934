import { setTimeout as sleep } from "node:timers/promises";
import { isBusy } from "./sqlite-error.ts";

/**
 * How long one statement blocks the process for a lock. Short, because nothing else runs meanwhile, not even the
 * transaction that holds the lock when it is of this process; the longer wait is `whileBusy`, which blocks nothing.
 */
export const blockingTimeoutMs = 50;

/** Tries again as long as another connection holds the lock, up to `timeoutMs`. */
export async function whileBusy<Result>(work: () => Promise<Result>, timeoutMs: number): Promise<Result> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
      // The spread keeps two waiting processes from meeting at the same moment again and again.
      await sleep(5 + Math.random() * 20);
    }
  }
}
