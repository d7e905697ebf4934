import type { Failure } from "./failure.ts";
import { RollingCounts } from "./rolling-counts.ts";

export interface RetryOptions {
  /** Tries after the first one. */
  readonly maximum: number;
  readonly baseMs: number;
  readonly capMs: number;
  /** The longest accepted wait: if the upstream asks for more, the call fails at once and reports the wait. */
  readonly retryAfterMaxMs: number;
}

/** The wait before the next try, or null for no further try: full jitter, or the wait that the upstream asked for. */
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

/** True when the upstream is up and asks for fewer calls: rate limit, overload, or a stated wait. */
export function asksForFewerCalls({ code, status, retryAfterMs }: Failure): boolean {
  return code === "upstream_rate_limited" || status === 529 || (status === 503 && retryAfterMs !== undefined);
}

/** Statuses of servers and proxies that are overloaded or too slow. */
const overloadStatuses: ReadonlySet<number | undefined> = new Set([408, 503, 504, 524, 529]);

/** True when fewer concurrent calls may help: the upstream asks for that, is overloaded or too slow. */
export function isOverload(failure: Failure): boolean {
  return asksForFewerCalls(failure) || failure.code === "upstream_timeout" || overloadStatuses.has(failure.status);
}

/** A retry after a wait that the upstream prescribed adds no unwanted load, so it costs no budget. */
export function isPrescribedWait(failure: Failure): boolean {
  return failure.code === "upstream_rate_limited" && failure.retryAfterMs !== undefined;
}

export interface RetryBudgetOptions {
  /** Retries allowed as a share of calls. */
  readonly ratio: number;
  /** Retries that are always allowed, so that a small run can retry too. */
  readonly floor: number;
  readonly windowMs: number;
}

/** Limits the retries at one origin to a share of its ordinary calls. */
export class RetryBudget {
  readonly #options: RetryBudgetOptions;
  readonly #counts: RollingCounts;

  constructor(options: RetryBudgetOptions) {
    this.#options = options;
    this.#counts = new RollingCounts(options.windowMs);
  }

  countCall(now: number): void {
    this.#counts.add(now, { first: 1 });
  }

  /** Takes one retry out of the budget. False when it is spent. */
  take(now: number): boolean {
    const { first: calls, second: retries } = this.#counts.totals(now);
    if (retries + 1 > Math.max(this.#options.floor, calls * this.#options.ratio)) return false;
    this.#counts.add(now, { second: 1 });
    return true;
  }
}
