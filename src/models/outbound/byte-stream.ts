import type { BodySink } from "./body-sink.ts";
import { GatheredBytes } from "./gathered-bytes.ts";

const pauseAtBytes = 256 * 1024;

interface ByteStreamOptions {
  /** The reader has caught up: send more. */
  readonly onReady: () => void;
  /** The reader stopped before the end. */
  readonly onReturn: () => void;
}

/** Bytes as they arrive, for one reader. Holds a bounded amount: a slow reader slows the upstream down. */
export class ByteStream implements BodySink, AsyncIterableIterator<Uint8Array> {
  readonly #options: ByteStreamOptions;
  readonly #queue = new GatheredBytes();
  #ended = false;
  #error: unknown;
  #waiting: PromiseWithResolvers<IteratorResult<Uint8Array>> | null = null;

  constructor(options: ByteStreamOptions) {
    this.#options = options;
  }

  write(chunk: Uint8Array): boolean {
    if (this.#ended) return true;
    if (this.#waiting) this.#settle({ value: chunk, done: false });
    else this.#queue.add(chunk);
    return this.#queue.size < pauseAtBytes;
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
    if (this.#queue.size > 0) {
      // All that has come goes out at once: a server's many small chunks arrive together, and each turn of a reader costs.
      const value = this.#queue.bytes();
      this.#queue.clear();
      this.#options.onReady();
      return Promise.resolve({ value, done: false });
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
    this.#queue.clear();
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
