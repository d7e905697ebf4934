import { NumberColumn } from "./number-column.ts";

export interface Spread {
  readonly count: number;
  /** Sample variance (n - 1); null below two values, exactly 0 when all are equal. */
  readonly variance: number | null;
}

/** Below this, values are equal but for rounding: they lie within a millionth of a millionth. */
const rounding = 1e-24;

/** How far values lie apart, for many rows, fed one by one: by Welford's method, which keeps none of them. */
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
