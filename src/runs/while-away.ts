import { pause } from "../base/deadline.ts";
import { ServiceError } from "../contract/errors.ts";

/** As long as writes wait for a server that is away. */
const longestMs = 15_000;
const pauseMs = 250;

/** Reads for whoever waits for a run: a store that is away for a moment, as while its server restarts, does not end the wait. */
export async function whileAway<Result>(read: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  const deadline = performance.now() + longestMs;
  for (;;) {
    try {
      return await read();
    } catch (error) {
      const isAway = error instanceof ServiceError && error.code === "storage_unavailable";
      if (!isAway || performance.now() >= deadline) throw error;
      await pause(pauseMs, signal);
    }
  }
}
