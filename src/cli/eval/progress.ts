import type { StoredTurn } from "../../contract/schemas/run.ts";

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

/** A mean that changes as values come, and tells by how much. */
class Mean {
  #sum = 0;
  #count = 0;

  get value(): number {
    return this.#count === 0 ? 0 : this.#sum / this.#count;
  }

  get empty(): boolean {
    return this.#count === 0;
  }

  add(value: number): void {
    this.#sum += value;
    this.#count += 1;
  }

  replace(old: number, value: number): void {
    this.#sum += value - old;
  }
}

interface RunMean {
  add(scenario: string, attempt: number, value: number): void;
  /** null: there is no value yet. */
  mean(): number | null;
}

/**
 * The mean the results will show: of turns within an attempt, of attempts within a scenario, of scenarios. A plain mean of
 * turns would end on another figure than the result beside it.
 */
export function createRunMean(): RunMean {
  const scenarios = new Mean();
  const known = new Map<string, { mean: Mean; attempts: Map<number, Mean> }>();

  return {
    add(scenario, attempt, value) {
      const entry = known.get(scenario) ?? { mean: new Mean(), attempts: new Map<number, Mean>() };
      known.set(scenario, entry);
      const turns = entry.attempts.get(attempt) ?? new Mean();
      entry.attempts.set(attempt, turns);
      change(scenarios, entry.mean, () => change(entry.mean, turns, () => turns.add(value)));
    },
    mean: () => (scenarios.empty ? null : scenarios.value),
  };
}

/** Does something to a part, and lets the whole follow. */
function change(whole: Mean, part: Mean, act: () => void): void {
  const [isNew, old] = [part.empty, part.value];
  act();
  if (isNew) whole.add(part.value);
  else whole.replace(old, part.value);
}
