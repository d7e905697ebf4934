/** Counts of two kinds of event over the last `windowMs`, kept in ten slices: constant memory at any rate. */
export class RollingCounts {
  readonly #sliceMs: number;
  readonly #slices: { index: number; first: number; second: number }[];

  constructor(windowMs: number, slices = 10) {
    this.#sliceMs = windowMs / slices;
    this.#slices = Array.from({ length: slices }, () => ({ index: Number.NEGATIVE_INFINITY, first: 0, second: 0 }));
  }

  add(now: number, counts: { first?: number; second?: number }): void {
    const index = Math.floor(now / this.#sliceMs);
    const slice = this.#slices[index % this.#slices.length]!;
    if (slice.index !== index) Object.assign(slice, { index, first: 0, second: 0 });
    slice.first += counts.first ?? 0;
    slice.second += counts.second ?? 0;
  }

  totals(now: number): { first: number; second: number } {
    const oldest = Math.floor(now / this.#sliceMs) - this.#slices.length + 1;
    let first = 0;
    let second = 0;
    for (const slice of this.#slices) {
      if (slice.index < oldest) continue;
      first += slice.first;
      second += slice.second;
    }
    return { first, second };
  }

  clear(): void {
    for (const slice of this.#slices) slice.index = Number.NEGATIVE_INFINITY;
  }
}
