/** Waits so many milliseconds. Rejects with the reason of `signal` as soon as that aborts: Node's own timers know none. */
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

/** What comes of the work when that takes no longer than so many milliseconds, else null. The work goes on. */
export async function inTime<Result>(work: Promise<Result>, ms: number): Promise<Result | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Settles with the work, or rejects as soon as `signal` aborts: work that ignores its signal cannot hold up a run. */
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

/** The longest wait a timer of Node can hold, in milliseconds: a longer one fires at once. */
export const longestTimer = 2 ** 31 - 1;
