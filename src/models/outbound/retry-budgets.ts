import { RetryBudget, type RetryBudgetOptions } from "./retry-budget.ts";

const maximumOrigins = 1000;

/** One retry budget per origin; the oldest goes when too many origins have been called. */
export class RetryBudgets {
  readonly #options: RetryBudgetOptions;
  readonly #budgets = new Map<string, RetryBudget>();

  constructor(options: RetryBudgetOptions) {
    this.#options = options;
  }

  get(origin: string): RetryBudget {
    const known = this.#budgets.get(origin);
    if (known) return known;
    const [oldest] = this.#budgets.size >= maximumOrigins ? this.#budgets.keys() : [];
    if (oldest !== undefined) this.#budgets.delete(oldest);
    const budget = new RetryBudget(this.#options);
    this.#budgets.set(origin, budget);
    return budget;
  }
}
