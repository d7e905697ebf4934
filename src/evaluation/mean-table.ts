import type { Scores } from "../contract/schemas/score.ts";
import { NumberColumn } from "./statistics/number-column.ts";

interface Column {
  readonly sums: NumberColumn;
  readonly counts: NumberColumn;
}

/** Means of scores for many rows, fed one by one. In columns: sums in objects of their own would take ten times the memory. */
export class MeanTable {
  readonly #columns = new Map<string, Column>();
  readonly #added = new NumberColumn();

  add(row: number, scores: Scores): void {
    this.#added.add(row, 1);
    for (const [name, value] of Object.entries(scores)) {
      const { sums, counts } = this.#columnOf(name);
      sums.add(row, value);
      counts.add(row, 1);
    }
  }

  /** Whether the row has been given any scores, be it none at all. */
  has(row: number): boolean {
    return this.#added.get(row) > 0;
  }

  means(row: number): Scores {
    const present = [...this.#columns].filter(([, { counts }]) => counts.get(row) > 0);
    return Object.fromEntries(present.map(([name, { sums, counts }]) => [name, sums.get(row) / counts.get(row)]));
  }

  #columnOf(name: string): Column {
    const known = this.#columns.get(name);
    if (known) return known;
    const column = { sums: new NumberColumn(), counts: new NumberColumn() };
    this.#columns.set(name, column);
    return column;
  }
}
