import type { StoredTurn } from "../../contract/run-event.ts";
import { createRunMean } from "./run-mean.ts";

/** How far a run is. */
export interface ProgressFigures {
  readonly turns: number;
  readonly done: number;
  readonly failed: number;
  /** Mean of `overall` so far. */
  readonly overall: number | null;
  /** US dollars so far; null where no price is known. */
  readonly spent: number | null;
  readonly elapsedMs: number;
  readonly remainingMs: number | null;
}

export interface ProgressTally {
  add(turn: StoredTurn): void;
  figures(): ProgressFigures;
}

/** Adds up the turns of one run as they arrive. */
export function createProgressTally({ turns, now = Date.now }: { turns: number; now?: () => number }): ProgressTally {
  const started = now();
  const tally = { done: 0, failed: 0, spent: null as number | null };
  const overall = createRunMean();

  return {
    add({ scenario_id, attempt, error, scores, cost, pass }) {
      tally.done += 1;
      if (error) tally.failed += 1;
      // A second pass is no part of the run's figures.
      const value = pass === 2 ? undefined : scores?.["overall"];
      if (value !== undefined) overall.add(scenario_id, attempt, value);
      if (cost !== null) tally.spent = (tally.spent ?? 0) + cost;
    },
    figures() {
      const elapsedMs = now() - started;
      const { done, failed, spent } = tally;
      return {
        turns,
        done,
        failed,
        overall: overall.mean(),
        spent,
        elapsedMs,
        remainingMs: done === 0 ? null : (elapsedMs / done) * Math.max(0, turns - done),
      };
    },
  };
}
