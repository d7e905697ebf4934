import { finalStates, type RunState } from "../contract/schemas/run.ts";
import type { RunRecord, Store } from "../contract/ports/store.ts";
import type { FiguresSoFar } from "./figures-so-far.ts";
import { figureRun } from "./figure-run.ts";
import { toProgress } from "./to-progress.ts";

interface ConcludeOptions {
  readonly store: Store;
  readonly now: () => number;
  /** What this process knows of the run's figures. Default: nothing. */
  readonly figures?: FiguresSoFar | undefined;
}

/** Gives a run whose attempts are all over its figures and its final state. Safe to repeat: only the first one counts. */
export async function concludeRun(runId: string, options: ConcludeOptions): Promise<void> {
  const { store, now, figures } = options;
  const run = await store.runs.get(runId);
  if (!run || finalStates.has(run.state)) return;
  const { summary, message } = figures?.finish(run, now) ?? (await figureRun(run, { store, now }));
  const state: RunState = run.state === "cancelling" ? "cancelled" : "completed";
  const text = state === "cancelled" ? cancelledMessage(run) : message;
  const ended = await store.runs.finish(runId, { state, message: text, summary, at: now() });
  // It may have been cancelled while its figures were made: then it ends as that.
  if (!ended) await concludeRun(runId, options);
}

function cancelledMessage(run: RunRecord): string {
  const { interactions_done, interactions_total } = toProgress(run);
  const were = interactions_total === 1 ? "interaction was" : "interactions were";
  return `Evaluation cancelled: ${interactions_done} of ${interactions_total} ${were} done`;
}
