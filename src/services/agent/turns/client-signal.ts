import type { Context } from "hono";

/** Aborts when the client goes away, and never where its turn is to go on: then it also waits for its thread to the end. */
export function clientSignal({ req }: Context, { goOn }: { goOn: boolean }): AbortSignal {
  return goOn ? new AbortController().signal : req.raw.signal;
}
