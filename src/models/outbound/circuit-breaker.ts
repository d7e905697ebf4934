import { RollingCounts } from "./rolling-counts.ts";

export interface BreakerOptions {
  readonly windowMs: number;
  readonly minimumCalls: number;
  readonly failureRatio: number;
  readonly openMs: number;
}

export type BreakerState = "closed" | "open" | "half-open";

/** Leave to call. The one probe of a half-open breaker decides what becomes of it. */
export type Permit = "call" | "probe";

/** How a permitted call ended. `unknown`: the caller went away first, which says nothing about the upstream. */
export type Outcome = "success" | "failure" | "unknown";

const servingMs = 60_000;

/** Stops calling an upstream that mostly fails, and finds out by single probes when it is back. */
export class CircuitBreaker {
  readonly #options: BreakerOptions;
  readonly #counts: RollingCounts;
  /** Failures since the last success. */
  readonly #inRow: RollingCounts;
  #openedAt: number | null = null;
  #servedAt = Number.NEGATIVE_INFINITY;
  #probing = false;

  constructor(options: BreakerOptions) {
    this.#options = options;
    this.#counts = new RollingCounts(options.windowMs);
    this.#inRow = new RollingCounts(options.windowMs);
  }

  /** Null means: do not call now. */
  admit(now: number): Permit | null {
    if (this.#openedAt === null) return "call";
    if (this.#probing || this.retryAfterMs(now) > 0) return null;
    this.#probing = true;
    return "probe";
  }

  record(permit: Permit, outcome: Outcome, now: number): void {
    if (permit === "probe") this.#endProbe(outcome, now);
    else if (outcome !== "unknown") this.#count(outcome, now);
  }

  /** The upstream did what it was asked. One that refuses a call is up as well, but serves nobody by that. */
  served(now: number): void {
    this.#servedAt = now;
  }

  /** Whether it has served anybody in the last minute: then it is worth waiting for. */
  isServing(now: number): boolean {
    return now - this.#servedAt <= servingMs;
  }

  state(now: number): BreakerState {
    if (this.#openedAt === null) return "closed";
    return this.retryAfterMs(now) > 0 ? "open" : "half-open";
  }

  /** How long the breaker stays open; 0 when a call would be let through or a probe is under way. */
  retryAfterMs(now: number): number {
    return this.#openedAt === null ? 0 : Math.max(0, this.#openedAt + this.#options.openMs - now);
  }

  counts(now: number): { calls: number; failures: number } {
    const { first, second } = this.#counts.totals(now);
    return { calls: first, failures: second };
  }

  #endProbe(outcome: Outcome, now: number): void {
    this.#probing = false;
    if (outcome === "failure") this.#openedAt = now;
    else if (outcome === "success") {
      this.#openedAt = null;
      this.#inRow.clear();
      this.#counts.clear();
    }
  }

  #count(outcome: Outcome, now: number): void {
    this.#counts.add(now, { first: 1, second: outcome === "failure" ? 1 : 0 });
    if (outcome === "success") return this.#inRow.clear();
    this.#inRow.add(now, { first: 1 });
    if (this.#openedAt !== null) return;
    const { minimumCalls, failureRatio } = this.#options;
    const { calls, failures } = this.counts(now);
    // What went well before says nothing about an upstream that fails every call now.
    const isDown = this.#inRow.totals(now).first >= minimumCalls;
    if (isDown || (calls >= minimumCalls && failures >= calls * failureRatio)) this.#openedAt = now;
  }
}
