import { finalStates } from "../contract/schemas/run.ts";
import type { RunRecord, Store } from "../contract/ports/store.ts";
import { goneError } from "./find-run.ts";
import { nextChange } from "./next-change.ts";
import type { RunEvents } from "./run-events.ts";
import { whileAway } from "./while-away.ts";

/** Resolves with the run once it has ended. Woken by events of this process; the poll notices the work of others. */
export async function waitForRun(
  runId: string,
  { store, events, signal, pollMs = 1_000 }: { store: Store; events: RunEvents; signal: AbortSignal; pollMs?: number },
): Promise<RunRecord> {
  for (;;) {
    const change = nextChange(runId, { events, signal, pollMs, isWanted: (kind) => kind === "end" });
    try {
      // The whole record tells how far the run has come, which is dear to know of a large one.
      const state = await whileAway(() => store.runs.state(runId), signal);
      if (state === null) throw goneError(runId);
      if (finalStates.has(state)) break;
      signal.throwIfAborted();
      await change.happened;
    } finally {
      change.stop();
    }
  }
  const run = await whileAway(() => store.runs.get(runId), signal);
  if (!run) throw goneError(runId);
  return run;
}
