/** So many pieces are put together at a time: an object for each costs a hundred times the one byte that it may hold. */
const mostLoose = 1024;

/** Bytes that come in pieces. They take hardly more memory than they are long, also when they come one at a time. */
export class GatheredBytes {
  #pieces: Uint8Array[] = [];
  /** How many of the pieces, from the first on, were put together already. */
  #joined = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(piece: Uint8Array): void {
    this.#size += piece.length;
    this.#pieces.push(piece);
    if (this.#pieces.length - this.#joined < mostLoose) return;
    this.#pieces.push(Buffer.concat(this.#pieces.splice(this.#joined)));
    this.#joined += 1;
  }

  /** All of them. What came in one piece is handed over as it came. */
  bytes(): Uint8Array {
    const [only] = this.#pieces;
    return this.#pieces.length === 1 && only ? only : Buffer.concat(this.#pieces, this.#size);
  }

  clear(): void {
    this.#pieces = [];
    this.#joined = 0;
    this.#size = 0;
  }
}
