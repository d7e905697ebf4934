/** Ends at the deadline even when the work does not listen to its signal; `what` names it in the error. */
export async function withinDeadline<Result>(
  what: string,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const { promise: deadline, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new Error(`${what} took longer than ${timeoutMs} ms`);
    controller.abort(error);
    reject(error);
  }, timeoutMs);
  try {
    return await Promise.race([work(controller.signal), deadline]);
  } finally {
    clearTimeout(timer);
  }
}
