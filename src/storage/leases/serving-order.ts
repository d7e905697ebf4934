import type { WaitingRun } from "./share-out.ts";

/**
 * Remembers in which order this process has served runs, so that among equals the one that has waited longest comes
 * next. Without it, of a hundred runs with one attempt under way each the oldest would get every place that is over.
 */
export interface ServingOrder {
  /** Runs as `shareOut` takes them, with their last turn in place of their age. */
  arrange(runs: readonly WaitingRun[]): WaitingRun[];
  served(runId: string): void;
}

export function createServingOrder(): ServingOrder {
  let turns = new Map<string, number>();
  let last = 0;
  return {
    arrange(runs) {
      // Those that are over are forgotten.
      turns = new Map(runs.flatMap(({ id }) => (turns.has(id) ? [[id, turns.get(id)!]] : [])));
      return runs.map((run) => ({ ...run, created_at: turns.get(run.id) ?? 0 }));
    },
    served(runId) {
      last += 1;
      turns.set(runId, last);
    },
  };
}
