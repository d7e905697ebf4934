import { RollingCounts } from "./rolling-counts.ts";

export interface BreakerOptions {
  readonly windowMs: number;
  readonly minimumCalls: number;
  readonly failureRatio: number;
  readonly openMs: number;
}

type BreakerState = "closed" | "open" | "half-open";

/** Permission for a call. The single probe of a half-open breaker decides whether it closes. */
export type Permit = "call" | "probe";

/** The result of a permitted call. `unknown`: the caller aborted, which says nothing about the upstream. */
export type CallOutcome = "success" | "failure" | "unknown";

const servingMs = 60_000;

/** Stops calls to an upstream that mostly fails, and sends single probes until it is back. */
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

  /** Null: do not call now. */
  admit(now: number): Permit | null {
    if (this.#openedAt === null) return "call";
    if (this.#probing || this.retryAfterMs(now) > 0) return null;
    this.#probing = true;
    return "probe";
  }

  record(permit: Permit, outcome: CallOutcome, now: number): void {
    if (permit === "probe") this.#endProbe(outcome, now);
    else if (outcome !== "unknown") this.#count(outcome, now);
  }

  /** Records a successful answer. A refused call shows that the upstream is up, but not that it serves. */
  served(now: number): void {
    this.#servedAt = now;
  }

  /** True when it has served a call within the last minute: then waiting is worthwhile. */
  isServing(now: number): boolean {
    return now - this.#servedAt <= servingMs;
  }

  state(now: number): BreakerState {
    if (this.#openedAt === null) return "closed";
    return this.retryAfterMs(now) > 0 ? "open" : "half-open";
  }

  /** The time until the breaker allows a probe; 0 when it is closed or half-open. */
  retryAfterMs(now: number): number {
    return this.#openedAt === null ? 0 : Math.max(0, this.#openedAt + this.#options.openMs - now);
  }

  counts(now: number): { calls: number; failures: number } {
    const { first, second } = this.#counts.totals(now);
    return { calls: first, failures: second };
  }

  #endProbe(outcome: CallOutcome, now: number): void {
    this.#probing = false;
    if (outcome === "failure") this.#openedAt = now;
    else if (outcome === "success") {
      this.#openedAt = null;
      this.#inRow.clear();
      this.#counts.clear();
    }
  }

  #count(outcome: CallOutcome, now: number): void {
    this.#counts.add(now, { first: 1, second: outcome === "failure" ? 1 : 0 });
    if (outcome === "success") return this.#inRow.clear();
    this.#inRow.add(now, { first: 1 });
    if (this.#openedAt !== null) return;
    const { minimumCalls, failureRatio } = this.#options;
    const { calls, failures } = this.counts(now);
    // Earlier successes do not matter when every call fails now.
    const isDown = this.#inRow.totals(now).first >= minimumCalls;
    if (isDown || (calls >= minimumCalls && failures >= calls * failureRatio)) this.#openedAt = now;
  }
}

export interface BreakerReport {
  readonly origin: string;
  readonly key: string;
  readonly state: BreakerState;
  readonly calls: number;
  readonly failures: number;
  readonly retry_after_ms: number;
}

const maximumBreakers = 5000;

/** One breaker per origin and key. Keys are model ids from requests, so the number is bounded: idle breakers are dropped first. */
export class Breakers {
  readonly #options: BreakerOptions;
  readonly #entries = new Map<string, { origin: string; key: string; breaker: CircuitBreaker }>();

  constructor(options: BreakerOptions) {
    this.#options = options;
  }

  get(origin: string, key: string, now: number): CircuitBreaker {
    const id = `${origin} ${key}`;
    const known = this.#entries.get(id);
    if (known) return known.breaker;
    if (this.#entries.size >= maximumBreakers) this.#makeRoom(now);
    const breaker = new CircuitBreaker(this.#options);
    this.#entries.set(id, { origin, key, breaker });
    return breaker;
  }

  report(now: number): readonly BreakerReport[] {
    return [...this.#entries.values()]
      .map(({ origin, key, breaker }) => ({
        origin,
        key,
        state: breaker.state(now),
        ...breaker.counts(now),
        retry_after_ms: breaker.retryAfterMs(now),
      }))
      .filter(({ state, calls }) => state !== "closed" || calls > 0);
  }

  #makeRoom(now: number): void {
    for (const [id, { breaker }] of this.#entries) {
      if (breaker.state(now) === "closed" && breaker.counts(now).failures === 0) this.#entries.delete(id);
    }
    // If all of them have failures, the oldest is dropped.
    for (const id of this.#entries.keys()) {
      if (this.#entries.size < maximumBreakers) break;
      this.#entries.delete(id);
    }
  }
}
