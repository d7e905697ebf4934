import { setTimeout as sleep } from "node:timers/promises";
import { isStoreFailure } from "../contract/errors.ts";

export interface UntilStoreAnswersOptions {
  /** Whoever stops gives up what the store has not taken. */
  readonly signal: AbortSignal;
  /** Told each time the store fails, and how often it has. */
  readonly onRefused: (error: unknown, times: number) => void;
  readonly pauseMs?: number;
}

/** What is to be written may be long, and is made ready anew each time. */
const longestPauseMs = 5_000;

/**
 * Asks a store that is full or away again, ever more slowly, until it answers: a reply that was received is paid for, and the model
 * is not to be asked again because it could not be stored at once. Rejects with the store's failure once `signal` aborts.
 */
export async function untilStoreAnswers<Result>(
  ask: () => Promise<Result>,
  { signal, onRefused, pauseMs = 250 }: UntilStoreAnswersOptions,
): Promise<Result> {
  for (let times = 1; ; times += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!isStoreFailure(error) || signal.aborted) throw error;
      onRefused(error, times);
      const pause = Math.min(longestPauseMs, pauseMs * 2 ** (times - 1));
      await sleep(pause * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => Promise.reject(error));
    }
  }
}
