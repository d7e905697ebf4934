import { clusterInterval, type ClusteredMean } from "./cluster-interval.ts";
import { NumberColumn } from "./number-column.ts";

/** Values by the cluster they belong to, fed one by one. Of each cluster only the number and the sum are kept. */
export class ClusterTable {
  readonly #sums = new NumberColumn();
  readonly #counts = new NumberColumn();
  #rows = 0;

  add(row: number, value: number): void {
    this.#rows = Math.max(this.#rows, row + 1);
    this.#sums.add(row, value);
    this.#counts.add(row, 1);
  }

  /** The mean over all values, and how sure it is. */
  mean(): ClusteredMean {
    const rows = Array.from({ length: this.#rows }, (_, row) => row);
    return clusterInterval(rows.map((row) => ({ sum: this.#sums.get(row), count: this.#counts.get(row) })));
  }
}
