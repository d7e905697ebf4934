import { untilAborted } from "../base/deadline.ts";

/** Ends at the deadline even when the work does not listen to its signal; `what` names it in the error. */
export async function withinDeadline<Result>(
  what: string,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Error(`${what} took longer than ${timeoutMs} ms`)), timeoutMs);
  try {
    return await untilAborted(work(controller.signal), controller.signal);
  } finally {
    clearTimeout(timer);
  }
}
