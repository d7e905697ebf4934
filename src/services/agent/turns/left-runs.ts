import { isStoreFailure } from "../../../contract/errors.ts";
import { retryStoreWrite } from "../../../runs/execute/store-outage.ts";

/** Runs that the store failed after their decision: they wait again as soon as it can be told. */
export interface LeftRuns {
  /** Gives the run back until the store has taken that. */
  leave(runId: string, giveBack: () => Promise<void>): void;
  /** Tries now, for whoever has come to decide about it. Rejects while the store still fails. */
  settle(runId: string): Promise<void>;
}

interface LeftRun {
  readonly giveBack: () => Promise<void>;
  trying: Promise<void> | null;
}

/** `signal` says that the process stops: the next one finds its runs as after a kill. */
export function createLeftRuns({ signal }: { signal: AbortSignal }): LeftRuns {
  const left = new Map<string, LeftRun>();

  // One try at a time: a second one could give back what somebody has taken since the first.
  function settle(runId: string): Promise<void> {
    const run = left.get(runId);
    if (!run) return Promise.resolve();
    return (run.trying ??= tryOnce(runId, run));
  }

  async function tryOnce(runId: string, run: LeftRun): Promise<void> {
    try {
      await run.giveBack();
      left.delete(runId);
    } catch (error) {
      run.trying = null;
      // Another process has it, which took us for dead.
      if (!isStoreFailure(error)) left.delete(runId);
      throw error;
    }
  }

  return {
    leave(runId, giveBack) {
      left.set(runId, { giveBack, trying: null });
      void retryStoreWrite(() => settle(runId), { signal, onRefused() {} }).catch(() => {});
    },
    settle,
  };
}
