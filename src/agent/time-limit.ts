import { longestTimer } from "../base/deadline.ts";

/** A signal that aborts with its parent or when the time is over. Disposing it frees the timer and the parent. */
export interface TimeLimit extends Disposable {
  readonly signal: AbortSignal;
  /** True when the time ran out; false when the parent aborted. */
  readonly expired: boolean;
  /** Milliseconds until the time is over, never less than 0. */
  readonly leftMs: number;
  /** Aborts before the time is over. */
  cancel(reason: Error): void;
}

/** Contract: whoever makes it disposes it. AbortSignal.timeout would stay in memory until it fires. */
export function createTimeLimit(options: { signal: AbortSignal; ms: number }): TimeLimit {
  return new RunningTimeLimit(options);
}

// A class, since a getter in an object literal gives each object a shape of its own: V8 keeps shapes, and with them all
// that their getters reach, until its next full collection.
class RunningTimeLimit implements TimeLimit {
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #endsAt: number;
  #expired = false;

  constructor({ signal, ms }: { signal: AbortSignal; ms: number }) {
    this.#parent = signal;
    this.#endsAt = performance.now() + ms;
    this.#timer = ms <= longestTimer ? setTimeout(this.#expire, ms) : undefined;
    signal.addEventListener("abort", this.#cancel, { once: true });
    if (signal.aborted) this.#cancel();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get expired(): boolean {
    return this.#expired;
  }

  get leftMs(): number {
    return Math.max(0, this.#endsAt - performance.now());
  }

  cancel(reason: Error): void {
    this.#controller.abort(reason);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#parent.removeEventListener("abort", this.#cancel);
  }

  readonly #cancel = (): void => this.#controller.abort(this.#parent.reason);

  readonly #expire = (): void => {
    this.#expired = true;
    this.#controller.abort(new Error("The time is over."));
  };
}
