import type { PolicyName } from "../../contract/schemas/shared/endpoint-policy.ts";
import type { CredentialBinding } from "./credentials.ts";
import type { BreakerOptions } from "./circuit-breaker.ts";
import type { Resolve } from "./connector.ts";
import type { HostPort } from "./endpoint-policy.ts";
import type { RetryBudgetOptions, RetryOptions } from "./retries.ts";

export interface Timeouts {
  readonly connectMs: number;
  /** From the request being sent to the first byte of the answer. */
  readonly firstByteMs: number;
  /** Between two pieces of the answer. */
  readonly idleMs: number;
  /** The whole call: every try, every wait between tries, and reading a stream to its end. */
  readonly totalMs: number;
}

/** Monotonic time for durations, wall time for dates. */
export interface OutboundClock {
  readonly monotonic: () => number;
  readonly wall: () => number;
}

export interface OutboundOptions {
  readonly credentials?: readonly CredentialBinding[];
  /** Names the setting that binds a credential to an origin, or to an address below it, for the error when one is missing. */
  readonly keyVariable?: (address: string) => string;
  /** The policy of requests that name none. */
  readonly policy?: PolicyName;
  /** Origins that the `allowlist` policy admits, in addition to those with a credential. */
  readonly allow?: readonly string[];
  readonly isOwnAddress?: (address: HostPort) => boolean;
  /** True for addresses that this process opened for this client; they are allowed under every policy. */
  readonly isOpenedHere?: (address: HostPort) => boolean;
  readonly timeouts?: Partial<Timeouts>;
  readonly maxReplyBytes?: number;
  /** The longest line, and the longest event, of a stream. */
  readonly maxEventBytes?: number;
  readonly retry?: Partial<RetryOptions>;
  readonly retryBudget?: Partial<RetryBudgetOptions>;
  readonly breaker?: Partial<BreakerOptions>;
  readonly resolve?: Resolve;
  readonly clock?: OutboundClock;
  readonly random?: () => number;
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export const defaultTimeouts: Timeouts = { connectMs: 5000, firstByteMs: 120_000, idleMs: 60_000, totalMs: 300_000 };
export const defaultMaxReplyBytes = 8 * 1024 * 1024;
export const defaultMaxEventBytes = 1024 * 1024;
export const defaultRetry: RetryOptions = { maximum: 3, baseMs: 500, capMs: 20_000, retryAfterMaxMs: 60_000 };
export const defaultRetryBudget: RetryBudgetOptions = { ratio: 0.2, floor: 10, windowMs: 600_000 };
export const defaultBreaker: BreakerOptions = { windowMs: 30_000, minimumCalls: 20, failureRatio: 0.5, openMs: 15_000 };
export const outboundClock: OutboundClock = { monotonic: () => performance.now(), wall: () => Date.now() };
