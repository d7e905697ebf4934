import { pause } from "../base/deadline.ts";
import { ServiceFailure, ServiceUnreachable } from "./service-failure.ts";

interface AwayOptions {
  readonly signal?: AbortSignal | undefined;
  readonly withinMs?: number | undefined;
  readonly pauseMs?: number | undefined;
}

/**
 * Asks again while nobody answers, or somebody says that the service cannot just now, as while it is started anew: a run goes on
 * through that, and so does whoever waits for it.
 */
export async function whileAway<Answer>(
  ask: () => Promise<Answer>,
  { signal, withinMs = 60_000, pauseMs = 500 }: AwayOptions = {},
): Promise<Answer> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isAway(error) || signal?.aborted || performance.now() >= deadline) throw error;
      await pause(pauseMs, signal);
    }
  }
}

/** What a proxy says in place of a service that is away, and what the service itself says. */
const awayStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

function isAway(error: unknown): boolean {
  if (error instanceof ServiceFailure) return awayStatuses.has(error.status);
  return error instanceof ServiceUnreachable;
}
