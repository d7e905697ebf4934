import type { Run, StoredTurn } from "../../contract/schemas/run.ts";
import type { RunClient } from "../composition/session.ts";
import type { ProgressFigures, Reporter } from "../reporters/reporter.ts";

/** Follows a run to its end and reports every turn. */
export async function followRunWithReporters(
  run: Run,
  { client, reporters, signal }: { client: RunClient; reporters: readonly Reporter[]; signal: AbortSignal },
): Promise<void> {
  const { interactions_total, interactions_done } = run.progress;
  const tally = createProgressTally({ turns: interactions_total, before: interactions_done });
  for (const reporter of reporters) reporter.onStart?.(run);
  for await (const event of client.events(run.run_id, { signal })) {
    if (event.type !== "interaction") continue;
    tally.add(event.data);
    for (const reporter of reporters) reporter.onTurn?.(event.data, tally.figures());
  }
}

interface ProgressTally {
  add(turn: StoredTurn): void;
  figures(): ProgressFigures;
}

interface ProgressOptions {
  readonly turns: number;
  /** Turns finished before a resume. Their events arrive all at once, so they are left out of the time estimate. */
  readonly before?: number;
  readonly now?: () => number;
}

/** Sums up the turns of one run as they arrive. */
export function createProgressTally({ turns, before = 0, now = Date.now }: ProgressOptions): ProgressTally {
  const started = now();
  let resumedAt = started;
  const tally = { done: 0, failed: 0, spent: null as number | null };
  const overall = createRunMean();

  return {
    add({ scenario_id, attempt, error, scores, cost, pass }) {
      tally.done += 1;
      if (tally.done === before) resumedAt = now();
      if (error) tally.failed += 1;
      // The second pass does not count towards the run's scores.
      const value = pass === 2 ? undefined : scores?.["overall"];
      if (value !== undefined) overall.add(scenario_id, attempt, value);
      if (cost !== null) tally.spent = (tally.spent ?? 0) + cost;
    },
    figures() {
      const { failed, spent } = tally;
      // Replayed turns are not part of the plan and must not exceed the total.
      const done = Math.min(tally.done, turns);
      const fresh = done - before;
      return {
        turns,
        done,
        failed,
        overall: overall.mean(),
        spent,
        elapsedMs: now() - started,
        remainingMs: fresh <= 0 ? null : ((now() - resumedAt) / fresh) * Math.max(0, turns - done),
      };
    },
  };
}

/** A running mean whose values can be replaced. */
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
  /** null without values. */
  mean(): number | null;
}

/** A run has fewer under way. Older ones are forgotten: a million would take 100 MB. */
const mostAttempts = 20_000;

/**
 * The mean as the results compute it: of turns within an attempt, of attempts within a scenario, of scenarios. A plain mean
 * of turns would end on a figure that differs from the result.
 */
export function createRunMean(): RunMean {
  const all = new Mean();
  const scenarios = new Map<string, Mean>();
  /** Of attempts that may have another turn. */
  const attempts = new Map<string, Mean>();

  return {
    add(scenario, attempt, value) {
      const mean = scenarios.get(scenario) ?? new Mean();
      scenarios.set(scenario, mean);
      const key = `${attempt} ${scenario}`;
      const turns = attempts.get(key) ?? new Mean();
      attempts.set(key, turns);
      if (attempts.size > mostAttempts) attempts.delete(attempts.keys().next().value!);
      updateWhole(all, mean, () => updateWhole(mean, turns, () => turns.add(value)));
    },
    mean: () => (all.empty ? null : all.value),
  };
}

/** Changes a part's mean and updates the mean of the whole. */
function updateWhole(whole: Mean, part: Mean, act: () => void): void {
  const [isNew, old] = [part.empty, part.value];
  act();
  if (isNew) whole.add(part.value);
  else whole.replace(old, part.value);
}
