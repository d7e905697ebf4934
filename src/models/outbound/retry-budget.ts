import { RollingCounts } from "./rolling-counts.ts";

export interface RetryBudgetOptions {
  /** Retries allowed as a share of calls. */
  readonly ratio: number;
  /** Retries allowed however few the calls were: a small run gets its retries too. */
  readonly floor: number;
  readonly windowMs: number;
}

/** Keeps the extra load on a struggling origin within a share of its ordinary calls. */
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
