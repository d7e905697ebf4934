import type { BodySink } from "./body-sink.ts";

const pauseAtBytes = 256 * 1024;

export interface ByteStreamOptions {
  /** The reader has caught up: send more. */
  readonly onReady: () => void;
  /** The reader stopped before the end. */
  readonly onReturn: () => void;
}

/** Bytes as they arrive, for one reader. Holds a bounded amount: a slow reader slows the upstream down. */
export class ByteStream implements BodySink, AsyncIterableIterator<Uint8Array> {
  readonly #options: ByteStreamOptions;
  readonly #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #ended = false;
  #error: unknown;
  #waiting: PromiseWithResolvers<IteratorResult<Uint8Array>> | null = null;

  constructor(options: ByteStreamOptions) {
    this.#options = options;
  }

  write(chunk: Uint8Array): boolean {
    if (this.#ended) return true;
    if (this.#waiting) this.#settle({ value: chunk, done: false });
    else {
      this.#queue.push(chunk);
      this.#queuedBytes += chunk.length;
    }
    return this.#queuedBytes < pauseAtBytes;
  }

  end(): void {
    this.#ended = true;
    if (this.#waiting) this.#settle({ value: undefined, done: true });
  }

  /** Ends the stream with an error, thrown once the reader has had what came before it. */
  fail(error: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    const waiting = this.#waiting;
    this.#waiting = null;
    if (!waiting) return;
    this.#error = undefined;
    waiting.reject(error);
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    const chunk = this.#queue.shift();
    if (chunk) {
      this.#queuedBytes -= chunk.length;
      if (this.#queue.length === 0) this.#options.onReady();
      return Promise.resolve({ value: chunk, done: false });
    }
    if (this.#error !== undefined) {
      const error = this.#error;
      this.#error = undefined;
      return Promise.reject(error);
    }
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    this.#queue.length = 0;
    this.#error = undefined;
    if (!this.#ended) {
      this.end();
      this.#options.onReturn();
    }
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #settle(result: IteratorResult<Uint8Array>): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.resolve(result);
  }
}
