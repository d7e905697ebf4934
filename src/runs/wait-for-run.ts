import { ServiceError } from "../contract/errors.ts";
import { finalStates } from "../contract/run.ts";
import type { RunRecord, Store } from "../contract/store.ts";
import { nextChange } from "./next-change.ts";
import type { RunEvents } from "./run-events.ts";

/** Resolves with the run once it has ended. Woken by events of this process; the poll notices the work of others. */
export async function waitForRun(
  runId: string,
  { store, events, signal, pollMs = 1_000 }: { store: Store; events: RunEvents; signal: AbortSignal; pollMs?: number },
): Promise<RunRecord> {
  for (;;) {
    const change = nextChange(runId, { events, signal, pollMs, isWanted: (kind) => kind === "end" });
    try {
      const run = await store.runs.get(runId);
      if (!run) throw new ServiceError("run_not_found", `The run ${runId} no longer exists.`);
      if (finalStates.has(run.state)) return run;
      signal.throwIfAborted();
      await change.happened;
    } finally {
      change.stop();
    }
  }
}
