import { pause } from "../base/deadline.ts";
import type { RescoreHold, Store } from "../contract/ports/store.ts";
import { isStoreFailure } from "../contract/errors.ts";

/** Another process has begun to score the run again, since this one had fallen silent; or the run was deleted. */
export class RescoreTakenOver extends Error {}

interface RescoreAloneOptions<Result> {
  readonly store: Store;
  /** Rejects when the run is not there or cannot be scored again. */
  readonly check: () => Promise<unknown>;
  /** Rejects with `RescoreTakenOver` when the hold is stale. */
  readonly work: (hold: RescoreHold) => Promise<Result>;
  readonly signal?: AbortSignal | undefined;
  readonly pollMs?: number;
}

/**
 * Does the work when no other process scores the run again: two at once would leave some turns scored by the one and some by the
 * other. Waits for the other one to end or to die, and begins anew after one that took the run over.
 */
export async function rescoreAlone<Result>(runId: string, options: RescoreAloneOptions<Result>): Promise<Result> {
  const { store, check, work, signal, pollMs = 250 } = options;
  for (;;) {
    await check();
    const hold = await store.runs.holdForRescore(runId);
    let away = false;
    try {
      if (hold) return await work(hold);
    } catch (error) {
      away = isStoreFailure(error);
      if (!(error instanceof RescoreTakenOver)) throw error;
    } finally {
      const released = hold ? store.runs.releaseAfterRescore(hold).catch(() => {}) : Promise.resolve();
      // Where the store is away, the hold ends by itself, and nobody has to wait for that.
      if (!away) await released;
    }
    await pause(pollMs, signal);
  }
}
