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
