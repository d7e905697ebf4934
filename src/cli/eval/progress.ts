import type { StoredTurn } from "../../contract/schemas/run.ts";
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

interface ProgressTally {
  add(turn: StoredTurn): void;
  figures(): ProgressFigures;
}

interface TallyOptions {
  readonly turns: number;
  /** Turns that were done before, which a run that goes on tells all at once: they say nothing about the time that is left. */
  readonly before?: number;
  readonly now?: () => number;
}

/** Adds up the turns of one run as they arrive. */
export function createProgressTally({ turns, before = 0, now = Date.now }: TallyOptions): ProgressTally {
  const started = now();
  let wentOn = started;
  const tally = { done: 0, failed: 0, spent: null as number | null };
  const overall = createRunMean();

  return {
    add({ scenario_id, attempt, error, scores, cost, pass }) {
      tally.done += 1;
      if (tally.done === before) wentOn = now();
      if (error) tally.failed += 1;
      // A second pass is no part of the run's figures.
      const value = pass === 2 ? undefined : scores?.["overall"];
      if (value !== undefined) overall.add(scenario_id, attempt, value);
      if (cost !== null) tally.spent = (tally.spent ?? 0) + cost;
    },
    figures() {
      const { failed, spent } = tally;
      // Turns of a replay are not planned, so they never push it past the end.
      const done = Math.min(tally.done, turns);
      const fresh = done - before;
      return {
        turns,
        done,
        failed,
        overall: overall.mean(),
        spent,
        elapsedMs: now() - started,
        remainingMs: fresh <= 0 ? null : ((now() - wentOn) / fresh) * Math.max(0, turns - done),
      };
    },
  };
}
