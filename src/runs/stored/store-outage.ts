import { setTimeout as sleep } from "node:timers/promises";
import { pause } from "../../base/deadline.ts";
import { isStoreFailure, ServiceError } from "../../contract/errors/errors.ts";

/**
 * Observes store failures and reports when the store has accepted nothing for so long that clients should stop waiting for runs.
 */
export interface StoreOutageMonitor {
  /** Reports an error; errors that do not come from the store are ignored. */
  failed(error: unknown): void;
  /** The store has accepted a write. */
  over(): void;
  /** Calls `listener` with each failure of a lasting outage. */
  onLasting(listener: (error: ServiceError) => void): void;
}

/** Equal to the time that readers wait for an unavailable store. */
const lastingAfterMs = 15_000;
/** A write waits up to 15 seconds for the server and may be the only one, so twice that time without failures ends an outage. */
const quietMs = 2 * lastingAfterMs;

export function createStoreOutageMonitor(now: () => number = () => performance.now()): StoreOutageMonitor {
  let since = Number.NEGATIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  const listeners: ((error: ServiceError) => void)[] = [];

  return {
    failed(error) {
      if (!isStoreFailure(error)) return;
      const at = now();
      if (at - last > quietMs) since = at;
      last = at;
      if (at - since >= lastingAfterMs) for (const listener of listeners) listener(error);
    },
    over() {
      last = Number.NEGATIVE_INFINITY;
    },
    onLasting: (listener) => void listeners.push(listener),
  };
}

export interface StoreRetryOptions {
  /** Aborting gives up the pending write. */
  readonly signal: AbortSignal;
  /** Called for each failure, with the number of failures so far. */
  readonly onRefused: (error: unknown, times: number) => void;
  readonly pauseMs?: number;
}

const longestPauseMs = 5_000;

/**
 * Retries a write with growing pauses until the store accepts it: a received reply is paid for and must not be requested again.
 * Rejects with the store's failure once `signal` aborts.
 */
export async function retryStoreWrite<Result>(
  ask: () => Promise<Result>,
  { signal, onRefused, pauseMs = 250 }: StoreRetryOptions,
): Promise<Result> {
  for (let times = 1; ; times += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!isStoreFailure(error) || signal.aborted) throw error;
      onRefused(error, times);
      const waitMs = Math.min(longestPauseMs, pauseMs * 2 ** (times - 1));
      await sleep(waitMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => Promise.reject(error));
    }
  }
}

/** As long as writes wait for an unavailable server. */
const maxUnavailableMs = 15_000;
const retryPauseMs = 250;

/** Retries a read while the store is unavailable, for example during a restart of its server. */
export async function retryStoreRead<Result>(read: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  const deadline = performance.now() + maxUnavailableMs;
  for (;;) {
    try {
      return await read();
    } catch (error) {
      const isUnavailable = error instanceof ServiceError && error.code === "storage_unavailable";
      if (!isUnavailable || performance.now() >= deadline) throw error;
      await pause(retryPauseMs, signal);
    }
  }
}
