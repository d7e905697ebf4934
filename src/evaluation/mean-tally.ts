import type { Scores } from "../contract/score.ts";

/** Means of scores, fed one by one. */
export interface MeanTally {
  readonly n: number;
  add(scores: Scores): void;
  means(): Scores;
  /** Mean and number of values of one score. */
  of(name: string): { mean: number; count: number } | null;
  names(): readonly string[];
}

export function createMeanTally(): MeanTally {
  const sums = new Map<string, { sum: number; count: number }>();
  let n = 0;

  return {
    get n() {
      return n;
    },
    add(scores) {
      n++;
      for (const [name, value] of Object.entries(scores)) {
        const entry = sums.get(name);
        if (entry) {
          entry.sum += value;
          entry.count++;
        } else sums.set(name, { sum: value, count: 1 });
      }
    },
    means: () => Object.fromEntries([...sums].map(([name, { sum, count }]) => [name, sum / count])),
    of(name) {
      const entry = sums.get(name);
      return entry ? { mean: entry.sum / entry.count, count: entry.count } : null;
    },
    names: () => [...sums.keys()],
  };
}
