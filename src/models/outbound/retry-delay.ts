import type { Failure } from "./failure.ts";

export interface RetryOptions {
  /** Tries after the first one. */
  readonly maximum: number;
  readonly baseMs: number;
  readonly capMs: number;
  /** A longer wait than this is not waited for: the call fails now and says when to come back. */
  readonly retryAfterMaxMs: number;
}

/** How long to wait before the next try, or null when there is to be none. Full jitter, or exactly what the upstream asked for. */
export function retryDelay(options: {
  failure: Failure;
  tries: number;
  idempotent: boolean;
  random: () => number;
  retry: RetryOptions;
}): number | null {
  const { failure, tries, idempotent, random, retry } = options;
  if (tries > retry.maximum) return null;
  if (failure.again === "no" || (failure.again === "if-idempotent" && !idempotent)) return null;
  if (failure.retryAfterMs !== undefined) {
    return failure.retryAfterMs <= retry.retryAfterMaxMs ? failure.retryAfterMs : null;
  }
  return random() * Math.min(retry.capMs, retry.baseMs * 2 ** (tries - 1));
}

/** Whether the upstream is up and wants fewer calls: its rate is limited, it is overloaded, or it says when to come back. */
export function asksForLess({ code, status, retryAfterMs }: Failure): boolean {
  return code === "upstream_rate_limited" || status === 529 || (status === 503 && retryAfterMs !== undefined);
}

/** Statuses of servers, or proxies before them, that have more calls than they bear, or took too long for one. */
const overloadStatuses: ReadonlySet<number | undefined> = new Set([408, 503, 504, 524, 529]);

/** Whether fewer calls at once may help: the upstream asks for that, is overloaded or did not answer in time. */
export function isOverload(failure: Failure): boolean {
  return asksForLess(failure) || failure.code === "upstream_timeout" || overloadStatuses.has(failure.status);
}

/** A wait the upstream itself prescribed for its rate limit adds no load it did not ask for, so it costs no budget. */
export function isPrescribedWait(failure: Failure): boolean {
  return failure.code === "upstream_rate_limited" && failure.retryAfterMs !== undefined;
}
