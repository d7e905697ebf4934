/** Waits `ms` milliseconds. Rejects with the reason of `signal` as soon as it aborts. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = () => reject(signal?.reason);
  const timer = setTimeout(resolve, ms);
  signal?.addEventListener("abort", stop, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

/** The result of the work, or null when it takes longer than `ms` milliseconds. The work goes on in the background. */
export async function inTime<Result>(work: Promise<Result>, ms: number): Promise<Result | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Settles with the work, or rejects as soon as `signal` aborts, even when the work ignores the signal. */
export function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    const free = () => signal.removeEventListener("abort", stop);
    work.then(
      (result) => {
        free();
        resolve(result);
      },
      (error: unknown) => {
        free();
        reject(error);
      },
    );
  });
}

/** Settles with the work. Rejects with `DeadlineExceeded` after `ms` milliseconds, or as soon as `signal` aborts. */
export async function withDeadline<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  options: { readonly ms: number; readonly signal?: AbortSignal },
): Promise<Result> {
  using deadline = new Deadline(options);
  return await untilAborted(work(deadline.signal), deadline.signal);
}

export class DeadlineExceeded extends Error {
  override readonly name = "DeadlineExceeded";
}

/** The longest delay of a timer in milliseconds: a longer one fires at once. */
export const longestTimer = 2 ** 31 - 1;

/**
 * A signal that aborts with its parent or after `ms` milliseconds. The creator disposes it, which frees the timer and the
 * parent; `AbortSignal.timeout` would stay in memory until it fires.
 */
// A class, because a getter in an object literal gives each object its own hidden class, which V8 keeps, with everything its
// getters reach, until the next full collection.
export class Deadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #endsAt: number;
  #expired = false;

  constructor({ signal, ms }: { readonly signal?: AbortSignal; readonly ms: number }) {
    this.#parent = signal;
    this.#endsAt = performance.now() + ms;
    this.#timer = ms <= longestTimer ? setTimeout(this.#expire, ms) : undefined;
    signal?.addEventListener("abort", this.#abort, { once: true });
    if (signal?.aborted) this.#abort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True when the time ran out; false when the parent aborted. */
  get expired(): boolean {
    return this.#expired;
  }

  /** Milliseconds left, never less than 0. */
  get leftMs(): number {
    return Math.max(0, this.#endsAt - performance.now());
  }

  /** Aborts the signal before the time is over. */
  cancel(reason: Error): void {
    this.#controller.abort(reason);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#parent?.removeEventListener("abort", this.#abort);
  }

  readonly #abort = (): void => this.#controller.abort(this.#parent?.reason);

  readonly #expire = (): void => {
    this.#expired = true;
    this.#controller.abort(new DeadlineExceeded("The deadline has passed."));
  };
}
