import type { Store } from "../contract/store.ts";
import { concludeRun } from "./conclude-run.ts";
import type { FiguresSoFar } from "./figures-so-far.ts";

export interface Concluder {
  /** Ends a run whose last attempt is over. One that is being ended here already is not ended twice. */
  conclude(runId: string): Promise<void>;
  /** Ends every run that has nothing left to do, whoever did its last attempt. */
  concludeDrained(): Promise<void>;
  /** The same, for those that were like that at the last call too: whoever did the last attempt gets to end the run. */
  concludeForgotten(): Promise<void>;
}

export interface ConcluderOptions {
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

  return {
    conclude,
    async concludeDrained() {
      for (const id of await store.runs.unconcluded()) await conclude(id);
    },
    async concludeForgotten() {
      const drained = await store.runs.unconcluded();
      const before = seen;
      seen = new Set(drained);
      for (const id of drained) if (before.has(id)) await conclude(id);
    },
  };
}
