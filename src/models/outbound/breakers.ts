import { CircuitBreaker, type BreakerOptions } from "./circuit-breaker.ts";
import type { BreakerReport } from "./outbound.ts";

const maximumBreakers = 5000;

/** One breaker per origin and key. Model ids come from requests, so the number kept is bounded: resting ones go first. */
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
    // All of them failing is possible too; the oldest then makes room.
    for (const id of this.#entries.keys()) {
      if (this.#entries.size < maximumBreakers) break;
      this.#entries.delete(id);
    }
  }
}
