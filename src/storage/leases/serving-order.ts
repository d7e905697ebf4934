import type { WaitingRun } from "./share-out.ts";

/** A run with the number of turns that are stored of it. */
export interface ServedRun extends WaitingRun {
  readonly stored: number;
  /** Something of it is to be carried out alone. */
  readonly alone?: boolean;
}

/**
 * Remembers in which order this process has served runs, so that among equals the one that has waited longest comes
 * next. Without it, of a hundred runs with one attempt under way each the oldest would get every place that is over.
 * A process that has just started goes by what is stored: were it killed soon and again, the same runs would always be first.
 */
export interface ServingOrder {
  /** Runs as `shareOut` takes them, with their last turn in place of their age. Those not served here yet come first. */
  arrange(runs: readonly ServedRun[]): WaitingRun[];
  served(runId: string): void;
}

/** More turns than a run can have. */
const mostStored = 1e12;

export function createServingOrder(): ServingOrder {
  let turns = new Map<string, number>();
  let last = 0;
  return {
    arrange(runs) {
      // Those that are over are forgotten.
      turns = new Map(runs.flatMap(({ id }) => (turns.has(id) ? [[id, turns.get(id)!]] : [])));
      return runs.map(({ stored, alone: _alone, ...run }) => ({
        ...run,
        created_at: turns.get(run.id) ?? stored - mostStored,
      }));
    },
    served(runId) {
      last += 1;
      turns.set(runId, last);
    },
  };
}
