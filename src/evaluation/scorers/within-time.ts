/** The work did not end in time. */
export class TimeOver extends Error {
  override readonly name = "TimeOver";
}

/** Settles with the work; rejects when the time is over or `signal` aborts, also where the work never ends. */
export async function withinTime<Result>(
  work: Promise<Result>,
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
): Promise<Result> {
  const { promise: end, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  const timer = setTimeout(() => reject(new TimeOver(`no answer within ${ms / 1_000} s`)), ms);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
