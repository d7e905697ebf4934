/** A signal that aborts with its parent or when the time is over. Disposing it frees the timer and the parent. */
export interface TimeLimit extends Disposable {
  readonly signal: AbortSignal;
  /** True when the time ran out; false when the parent aborted. */
  readonly expired: boolean;
}

/** Node fires a longer timer at once. */
const longestTimer = 2 ** 31 - 1;

/** Contract: whoever makes it disposes it. AbortSignal.timeout would stay in memory until it fires. */
export function createTimeLimit({ signal, ms }: { signal: AbortSignal; ms: number }): TimeLimit {
  const controller = new AbortController();
  let expired = false;
  const cancel = () => controller.abort(signal.reason);
  const expire = () => {
    expired = true;
    controller.abort(new Error("The time is over."));
  };
  const timer = ms <= longestTimer ? setTimeout(expire, ms) : undefined;
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();

  return {
    signal: controller.signal,
    get expired() {
      return expired;
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
    },
  };
}

/** Settles with the work, or rejects as soon as `signal` aborts: work that ignores its signal cannot hold up a run. */
export function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
