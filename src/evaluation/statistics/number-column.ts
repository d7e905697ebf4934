/** Numbers by row, 0 where nothing was added: eight bytes each, however many there come to be. */
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
