/** Pieces of text that arrive by callback, to be read in one loop. */
export interface TextQueue extends AsyncIterable<string> {
  push(piece: string): void;
  /** The loop ends once everything pushed before has been read. */
  end(): void;
}

export function createTextQueue(): TextQueue {
  const pieces: string[] = [];
  let ended = false;
  let arrival = Promise.withResolvers<void>();

  return {
    push(piece) {
      pieces.push(piece);
      arrival.resolve();
    },
    end() {
      ended = true;
      arrival.resolve();
    },
    async *[Symbol.asyncIterator]() {
      while (pieces.length > 0 || !ended) {
        await arrival.promise;
        if (!ended) arrival = Promise.withResolvers<void>();
        yield* pieces.splice(0);
      }
    },
  };
}
