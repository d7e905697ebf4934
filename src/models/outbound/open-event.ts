const eventEnds = ["\n\n", "\r\n\r\n", "\r\r"];
/** An end may come in pieces: all of the longest but its last byte may be here already. */
const mostBefore = 3;

/** The event that a stream has begun and not ended yet. */
export class OpenEvent {
  #size = 0;
  #before = Buffer.alloc(0);

  /** Takes the next bytes of the stream, and tells how many there are of the event that is open then. */
  add(chunk: Uint8Array): number {
    const seen = Buffer.concat([this.#before, chunk]);
    const end = lastEnd(seen) - this.#before.length;
    this.#size = end > 0 ? chunk.length - end : this.#size + chunk.length;
    this.#before = Buffer.from(seen.subarray(-mostBefore));
    return this.#size;
  }
}

/** Where the last event ends; 0 when none does. */
function lastEnd(bytes: Buffer): number {
  const ends = eventEnds.map((end) => ({ at: bytes.lastIndexOf(end), length: end.length }));
  return Math.max(...ends.map(({ at, length }) => (at === -1 ? 0 : at + length)));
}
