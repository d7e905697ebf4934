import type { StoredTurn } from "../../contract/run-event.ts";

/** How far a run is. */
export interface ProgressFigures {
  readonly turns: number;
  readonly done: number;
  readonly failed: number;
  /** Running mean of `overall` over the turns that have one. */
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
  const tally = { done: 0, failed: 0, scored: 0, sum: 0, spent: null as number | null };

  return {
    add({ error, scores, cost }) {
      tally.done += 1;
      if (error) tally.failed += 1;
      const overall = scores?.["overall"];
      if (overall !== undefined) {
        tally.scored += 1;
        tally.sum += overall;
      }
      if (cost !== null) tally.spent = (tally.spent ?? 0) + cost;
    },
    figures() {
      const elapsedMs = now() - started;
      const { done, failed, scored, sum, spent } = tally;
      return {
        turns,
        done,
        failed,
        overall: scored === 0 ? null : sum / scored,
        spent,
        elapsedMs,
        remainingMs: done === 0 ? null : (elapsedMs / done) * Math.max(0, turns - done),
      };
    },
  };
}
