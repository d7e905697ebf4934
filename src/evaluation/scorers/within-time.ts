import { untilAborted } from "../../base/deadline.ts";

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
  const timer = setTimeout(() => reject(new TimeOver(`no answer within ${ms / 1_000} s`)), ms);
  try {
    return await untilAborted(Promise.race([work, end]), signal);
  } finally {
    clearTimeout(timer);
  }
}
