/**
 * The work's result, or null when the time is up first. Rejects only when the caller's own signal aborts.
 * The timer is cleared as soon as the work ends, so that many short waits leave nothing behind.
 */
export async function withinTime<Result>(
  { milliseconds, signal }: { milliseconds: number; signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | null> {
  signal.throwIfAborted();
  const limit = new AbortController();
  const pass = () => limit.abort(signal.reason);
  const timer = setTimeout(() => limit.abort(new Error("The time is up.")), milliseconds);
  signal.addEventListener("abort", pass, { once: true });
  try {
    return await work(limit.signal);
  } catch (error) {
    if (limit.signal.aborted && !signal.aborted) return null;
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", pass);
  }
}
