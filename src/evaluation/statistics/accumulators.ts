import type { Durations } from "../../contract/schemas/run.ts";
import type { Scores } from "../../contract/schemas/scores/score.ts";
import { clusterInterval, type ClusteredMean } from "./intervals.ts";

/** Numbers by row, 0 by default. A typed array takes eight bytes per row. */
export class NumberColumn {
  #values = new Float64Array(16);

  get(row: number): number {
    return this.#values[row] ?? 0;
  }

  set(row: number, value: number): void {
    if (row >= this.#values.length) {
      const larger = new Float64Array(Math.max(row + 1, 2 * this.#values.length));
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[row] = value;
  }

  add(row: number, value: number): void {
    this.set(row, this.get(row) + value);
  }
}

export interface Spread {
  readonly count: number;
  /** Sample variance (n - 1); null below two values, exactly 0 when all are equal. */
  readonly variance: number | null;
}

/** A smaller variance is rounding error: the values lie within 1e-12 of each other. */
const rounding = 1e-24;

/** Variance by row, by Welford's algorithm: values are not kept. */
export class SpreadTable {
  readonly #counts = new NumberColumn();
  readonly #means = new NumberColumn();
  readonly #squares = new NumberColumn();

  add(row: number, value: number): void {
    const count = this.#counts.get(row) + 1;
    const before = value - this.#means.get(row);
    this.#counts.set(row, count);
    this.#means.add(row, before / count);
    this.#squares.add(row, before * (value - this.#means.get(row)));
  }

  of(row: number): Spread {
    const count = this.#counts.get(row);
    if (count < 2) return { count, variance: null };
    const variance = this.#squares.get(row) / (count - 1);
    return { count, variance: variance <= rounding ? 0 : variance };
  }
}

/** Count and sum of values by cluster. */
export class ClusterTable {
  readonly #sums = new NumberColumn();
  readonly #counts = new NumberColumn();
  #rows = 0;

  add(row: number, value: number): void {
    this.#rows = Math.max(this.#rows, row + 1);
    this.#sums.add(row, value);
    this.#counts.add(row, 1);
  }

  mean(): ClusteredMean {
    const rows = Array.from({ length: this.#rows }, (_, row) => row);
    return clusterInterval(rows.map((row) => ({ sum: this.#sums.get(row), count: this.#counts.get(row) })));
  }
}

/** Durations within 1 % of each other share a bucket. */
const bucketWidth = Math.log(1.01);

/**
 * Mean and quantiles of durations, in the buckets of DDSketch (Masson, Rim and Lee 2019): memory does not grow with the number
 * of values. A quantile is the mean of its bucket, hence exact for a bucket of one.
 */
export class DurationTally {
  readonly #buckets = new Map<number, { sum: number; count: number }>();
  #n = 0;
  #sum = 0;
  #longest = 0;

  add(milliseconds: number): void {
    const key = Math.ceil(Math.log(milliseconds) / bucketWidth);
    const bucket = this.#buckets.get(key) ?? { sum: 0, count: 0 };
    this.#buckets.set(key, bucket);
    bucket.sum += milliseconds;
    bucket.count++;
    this.#n++;
    this.#sum += milliseconds;
    this.#longest = Math.max(this.#longest, milliseconds);
  }

  /** Null without values. */
  finish(): Durations | null {
    if (this.#n === 0) return null;
    const ascending = [...this.#buckets].toSorted(([left], [right]) => left - right).map(([, bucket]) => bucket);
    const quantile = (share: number): number => {
      let before = 0;
      const bucket = ascending.find(({ count }) => (before += count) >= share * this.#n);
      return bucket ? bucket.sum / bucket.count : this.#longest;
    };
    return { n: this.#n, mean: this.#sum / this.#n, p50: quantile(0.5), p95: quantile(0.95), max: this.#longest };
  }
}

interface ValueColumn {
  readonly sums: NumberColumn;
  readonly counts: NumberColumn;
}

/** Mean scores by row. Columns of numbers take a tenth of the memory of one object per row. */
export class MeanTable {
  readonly #columns = new Map<string, ValueColumn>();
  readonly #added = new NumberColumn();

  add(row: number, scores: Scores): void {
    this.#added.add(row, 1);
    for (const [name, value] of Object.entries(scores)) {
      const { sums, counts } = this.#columnOf(name);
      sums.add(row, value);
      counts.add(row, 1);
    }
  }

  /** True once the row was added, even with no scores. */
  has(row: number): boolean {
    return this.#added.get(row) > 0;
  }

  means(row: number): Scores {
    const present = [...this.#columns].filter(([, { counts }]) => counts.get(row) > 0);
    return Object.fromEntries(present.map(([name, { sums, counts }]) => [name, sums.get(row) / counts.get(row)]));
  }

  #columnOf(name: string): ValueColumn {
    const known = this.#columns.get(name);
    if (known) return known;
    const column = { sums: new NumberColumn(), counts: new NumberColumn() };
    this.#columns.set(name, column);
    return column;
  }
}
