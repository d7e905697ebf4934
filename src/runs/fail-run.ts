import type { ClaimedAttempt } from "../contract/ports/queue.ts";
import type { Store } from "../contract/ports/store.ts";
import { publicErrorMessage } from "../evaluation/format.ts";
import { createFiguring, figureRun } from "./figure-run.ts";
import { OutOfMemory } from "./out-of-memory.ts";

interface FailOptions {
  readonly store: Store;
  readonly now: () => number;
  readonly error: unknown;
}

/**
 * Ends a run that cannot be carried out, with the figures of what is stored and a message that says why. False when it has
 * ended or is being cancelled.
 */
export async function failRun(
  { run_id, scenario_index, attempt, breaks }: ClaimedAttempt,
  { store, now, error }: FailOptions,
): Promise<boolean> {
  const run = await store.runs.get(run_id);
  if (run?.state !== "queued" && run?.state !== "running") return false;
  const [scenario] = await store.runs.scenariosAt(run_id, [scenario_index]);
  const message = `Evaluation failed: attempt ${attempt} of the scenario "${scenario?.id ?? scenario_index}" broke ${breaks} times, the last time with: ${publicErrorMessage(error)}`;
  const failed = { ...run, state: "failed" as const };
  // What memory did not suffice for may be in the figures too: the run has ended by then.
  const { summary } =
    error instanceof OutOfMemory
      ? createFiguring(run.settings, []).finish(failed, now)
      : await figureRun(failed, { store, now });
  if (!(await store.runs.finish(run_id, { state: "failed", message, summary, at: now() }))) return false;
  // Other attempts may have stored turns while the figures were made. From here on none can.
  const { summary: complete } = await figureRun(failed, { store, now });
  await store.runs.resummarize(run_id, { summary: complete, message });
  return true;
}
