/** Waits, unless the signal aborts first: then it rejects with the signal's reason. Injectable where waiting matters. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;

export const sleep: Sleep = (milliseconds, signal) => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  if (signal.aborted) return Promise.reject(signal.reason);
  const timer = setTimeout(() => {
    signal.removeEventListener("abort", onAbort);
    resolve();
  }, milliseconds);
  function onAbort(): void {
    clearTimeout(timer);
    reject(signal.reason);
  }
  signal.addEventListener("abort", onAbort, { once: true });
  return promise;
};
