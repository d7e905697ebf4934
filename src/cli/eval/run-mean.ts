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
