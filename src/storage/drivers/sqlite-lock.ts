import { setTimeout as sleep } from "node:timers/promises";
import { openConnection } from "./sqlite-connection.ts";
import { isBusy } from "./sqlite-error.ts";

/**
 * How long one statement blocks the process for a lock. Short, because nothing else runs meanwhile, not even a
 * transaction of this process that holds the lock. `retryWhileBusy` waits longer without blocking.
 */
export const blockingTimeoutMs = 50;

/** Retries while another connection holds the lock, up to `timeoutMs`. */
export async function retryWhileBusy<Result>(work: () => Promise<Result>, timeoutMs: number): Promise<Result> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
      // Jitter keeps two waiting processes from colliding again and again.
      await sleep(5 + Math.random() * 20);
    }
  }
}

const lockTimeoutMs = 30_000;

/**
 * Takes an exclusive lock on an empty file among the processes of this machine. The system releases it when the process
 * dies, so there are no stale locks.
 */
export async function lockFile(file: string): Promise<Disposable> {
  const connection = openConnection(file, { timeoutMs: 0 });
  try {
    await retryWhileBusy(async () => connection.exec("begin exclusive"), lockTimeoutMs);
  } catch (error) {
    connection.close();
    throw error;
  }
  return { [Symbol.dispose]: () => connection.close() };
}
