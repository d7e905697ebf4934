import type { RunRecord, Store } from "../contract/ports/store.ts";
import { finalStates, type RunState } from "../contract/schemas/run.ts";
import { figureRun } from "./figure-run.ts";
import type { FiguresSoFar } from "./figures-so-far.ts";
import { isCircumstance } from "./is-circumstance.ts";
import { toProgress } from "./to-progress.ts";

interface Concluder {
  /** Ends a run whose last attempt is over. One that is being ended here already is not ended twice. */
  conclude(runId: string): Promise<void>;
  /** Ends every run that has nothing left to do, whoever did its last attempt. */
  concludeDrained(): Promise<void>;
  /** The same, for those that were like that at the last call too: whoever did the last attempt gets to end the run. */
  concludeForgotten(): Promise<void>;
}

interface ConcluderOptions {
  readonly store: Store;
  readonly now: () => number;
  /** What this process knows of a run's figures. */
  readonly figuresOf: (runId: string) => Promise<FiguresSoFar | undefined>;
  readonly onEnd: (runId: string) => void;
}

/** Brings runs to their end, once each in this process. */
export function createConcluder({ store, now, figuresOf, onEnd }: ConcluderOptions): Concluder {
  const underWay = new Map<string, Promise<void>>();
  let seen: ReadonlySet<string> = new Set();

  async function end(runId: string): Promise<void> {
    await concludeRun(runId, { store, now, figures: await figuresOf(runId) });
    onEnd(runId);
  }

  function conclude(runId: string): Promise<void> {
    const ending = underWay.get(runId) ?? end(runId).finally(() => underWay.delete(runId));
    underWay.set(runId, ending);
    return ending;
  }

  /** One that cannot be ended, as when its rows are damaged, does not keep the others from their end. */
  async function concludeAll(runIds: readonly string[]): Promise<void> {
    const failures: unknown[] = [];
    for (const id of runIds) {
      await conclude(id).catch((error: unknown) => {
        if (isCircumstance(error)) throw error;
        failures.push(error);
      });
    }
    if (failures.length > 0) throw failures[0];
  }

  return {
    conclude,
    concludeDrained: async () => concludeAll(await store.runs.unconcluded()),
    async concludeForgotten() {
      const drained = await store.runs.unconcluded();
      const before = seen;
      seen = new Set(drained);
      await concludeAll(drained.filter((id) => before.has(id)));
    },
  };
}

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
