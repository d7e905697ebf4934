import type { Durations } from "../../contract/schemas/run.ts";

/** Durations within one part in a hundred of each other share a place. */
const step = Math.log(1.01);

/**
 * How long things took, fed one by one. Durations that are nearly the same are counted together (the places of DDSketch, Masson, Rim
 * and Lee 2019), so memory does not grow with their number; a quantile is the mean of its place, which is exact where it holds one.
 */
export class DurationTally {
  readonly #places = new Map<number, { sum: number; count: number }>();
  #n = 0;
  #sum = 0;
  #longest = 0;

  add(milliseconds: number): void {
    const key = Math.ceil(Math.log(milliseconds) / step);
    const place = this.#places.get(key) ?? { sum: 0, count: 0 };
    this.#places.set(key, place);
    place.sum += milliseconds;
    place.count++;
    this.#n++;
    this.#sum += milliseconds;
    this.#longest = Math.max(this.#longest, milliseconds);
  }

  /** Null of nothing. */
  finish(): Durations | null {
    if (this.#n === 0) return null;
    const ascending = [...this.#places].toSorted(([left], [right]) => left - right).map(([, place]) => place);
    const quantile = (share: number): number => {
      let before = 0;
      const place = ascending.find(({ count }) => (before += count) >= share * this.#n);
      return place ? place.sum / place.count : this.#longest;
    };
    return { n: this.#n, mean: this.#sum / this.#n, p50: quantile(0.5), p95: quantile(0.95), max: this.#longest };
  }
}
