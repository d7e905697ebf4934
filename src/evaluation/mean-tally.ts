import type { Scores } from "../contract/schemas/score.ts";

interface Sum {
  sum: number;
  count: number;
}

/** Means of scores, fed one by one. Many are made for one set of scores only, so sums begin with the second. */
export class MeanTally {
  #n = 0;
  #only: Scores = {};
  #sums: Map<string, Sum> | null = null;

  get n(): number {
    return this.#n;
  }

  add(scores: Scores): void {
    this.#n += 1;
    if (this.#n === 1) this.#only = scores;
    else addTo(this.#summed(), scores);
  }

  means(): Scores {
    if (!this.#sums) return { ...this.#only };
    return Object.fromEntries([...this.#sums].map(([name, { sum, count }]) => [name, sum / count]));
  }

  /** Mean and number of values of one score. */
  of(name: string): { mean: number; count: number } | null {
    const entry = this.#summed().get(name);
    return entry ? { mean: entry.sum / entry.count, count: entry.count } : null;
  }

  names(): readonly string[] {
    return [...this.#summed().keys()];
  }

  #summed(): Map<string, Sum> {
    if (this.#sums) return this.#sums;
    this.#sums = new Map();
    addTo(this.#sums, this.#only);
    return this.#sums;
  }
}

function addTo(sums: Map<string, Sum>, scores: Scores): void {
  for (const [name, value] of Object.entries(scores)) {
    const entry = sums.get(name);
    if (entry) {
      entry.sum += value;
      entry.count += 1;
    } else sums.set(name, { sum: value, count: 1 });
  }
}
