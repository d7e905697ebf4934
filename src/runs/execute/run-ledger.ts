import type { NumberedInteraction, Store, StoredInteraction, TurnPage } from "../../contract/ports/store.ts";
import type { Budget } from "../../contract/schemas/budget.ts";
import type { StoredReply } from "../../contract/schemas/interaction-result.ts";
import {
  addSpent,
  isSpent,
  noSpent,
  spentOnHelpers,
  spentOnReply,
  subtractSpent,
  type Spent,
  type SpendingTurn,
} from "../../evaluation/budget/budget.ts";
import { createCallReservations, type CallReservation, type CallReservations } from "./call-reservations.ts";

/** The spend of a run with a budget, in this process and in others. */
export interface RunLedger {
  readonly spent: boolean;
  /** Reads the turns stored since the last time by any process; with `ifOlderThan` (ms) only when that is longer ago. */
  refresh(options?: { ifOlderThan?: number }): Promise<void>;
  /**
   * Reserves the calls of an attempt. Resolves when the budget covers them beside those of other attempts, when no attempt is in
   * progress, or when the budget is spent. Rejects when `signal` aborts meanwhile.
   */
  reserve(calls: number, signal: AbortSignal): Promise<CallReservation>;
  /**
   * True when one more call may start, which then counts as in flight. Until a first call has shown its cost, calls beyond the initial
   * limit wait for the end of another. Rejects when `signal` aborts meanwhile.
   */
  admit(signal: AbortSignal): Promise<boolean>;
  /** Ends an admitted call that has no turn of its own. The spend of a helper model counts from here. */
  settle(took?: Spent): void;
  /** Ends an admitted call with its reply, whose spend counts from here. */
  replied(turn: LedgerPlace & { turn_index: number; reply: StoredReply }): void;
  /** An earlier try has spent this on a turn that is not stored yet. */
  resumed(turn: LedgerPlace & { turn_index: number; reply: StoredReply }): void;
  /** An earlier process has spent this on helper calls that are not stored with a turn yet. */
  resumedHelper(took: Spent): void;
  /** A turn is stored with its scores. It counts from here until the store reports it. */
  stored(turn: Omit<StoredInteraction, "attempt_id"> & LedgerPlace): void;
}

interface LedgerPlace {
  readonly scenario_index: number;
  readonly attempt: number;
}

interface RunLedgerOptions {
  readonly runId: string;
  readonly store: Store;
  readonly budget: Budget;
  /** Concurrent calls that the budget allows while the cost of a call is unknown. */
  readonly firstCalls?: number;
  /** The spend of a turn's reply. Default: as reported by its endpoint. */
  readonly spentOnTurn?: (turn: SpendingTurn) => Spent;
  /** When `budget.seconds` are over; null without such a limit. */
  readonly deadline: number | null;
  readonly now: () => number;
}

const pageSize = 500;

export function createRunLedger(options: RunLedgerOptions): RunLedger {
  return new StoreLedger(options);
}

class StoreLedger implements RunLedger {
  readonly #options: RunLedgerOptions;
  readonly #firstCalls: number;
  readonly #spentOnTurn: (turn: SpendingTurn) => Spent;
  readonly #reservations: CallReservations;

  /** The spend of the turns read from the store. */
  #read = noSpent;
  /** Below every number at first, so that replies left without scores by a process that died are read too. */
  #sequence = Number.NEGATIVE_INFINITY;
  #readAt = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<void> | null = null;

  #callsInFlight = 0;
  readonly #waitingForEnd = new Set<() => void>();
  /** The spend of this process's helper models. It is stored with turns later, that of whole conversations later still. */
  #helpers = noSpent;
  /** Turns that this process has stored and the store has not reported yet. */
  readonly #pending = new Map<string, Spent>();
  /** Replies that are not stored with scores yet: of this process, or left by others when the run was first read. */
  readonly #unscored = new Map<string, Spent>();
  /** Helper spend of turns that the store reported before this process did, so that it is not counted twice. */
  readonly #reportedFirst = new Map<string, Spent>();

  constructor(options: RunLedgerOptions) {
    const { firstCalls = Number.POSITIVE_INFINITY, spentOnTurn = ({ reply }) => spentOnReply(reply) } = options;
    this.#options = options;
    this.#firstCalls = firstCalls;
    this.#spentOnTurn = spentOnTurn;
    this.#reservations = createCallReservations({
      // An attempt whose first call would have to wait need not start.
      covers: ({ calls, attempts }) =>
        this.spent || ((attempts <= firstCalls || this.#isCostKnown()) && !this.#isSpentAfter(calls - 1)),
    });
  }

  get spent(): boolean {
    return this.#isSpentAfter(0);
  }

  async refresh({ ifOlderThan = 0 }: { ifOlderThan?: number } = {}): Promise<void> {
    if (ifOlderThan > 0 && this.#options.now() - this.#readAt < ifOlderThan) return;
    this.#refreshing ??= this.#readNewTurns().finally(() => {
      this.#refreshing = null;
    });
    await this.#refreshing;
  }

  reserve(calls: number, signal: AbortSignal): Promise<CallReservation> {
    return this.#reservations.reserve(calls, signal);
  }

  async admit(signal: AbortSignal): Promise<boolean> {
    while (this.#callsInFlight >= this.#firstCalls && !this.#isCostKnown() && !this.spent) await this.#callEnd(signal);
    if (this.spent) return false;
    this.#callsInFlight++;
    return true;
  }

  settle(took: Spent = noSpent): void {
    this.#helpers = addSpent(this.#helpers, took);
    this.#endCall();
  }

  replied(turn: Parameters<RunLedger["replied"]>[0]): void {
    this.resumed(turn);
    this.#endCall();
  }

  resumed(turn: Parameters<RunLedger["replied"]>[0]): void {
    if (!this.#reportedFirst.has(ledgerKey(turn))) this.#unscored.set(ledgerKey(turn), this.#spentOnTurn(turn));
  }

  resumedHelper(took: Spent): void {
    this.#helpers = addSpent(this.#helpers, took);
  }

  stored(turn: Parameters<RunLedger["stored"]>[0]): void {
    const key = ledgerKey(turn);
    this.#unscored.delete(key);
    // Another attempt may have read the turn between its commit and this call.
    const helpers = this.#reportedFirst.get(key);
    if (!helpers) return void this.#pending.set(key, this.#spentOnTurn(turn));
    this.#reportedFirst.delete(key);
    this.#read = subtractSpent(this.#read, helpers);
  }

  async #readNewTurns(): Promise<void> {
    const { store, runId, now } = this.#options;
    let page: TurnPage;
    do {
      page = await store.interactions.after(runId, this.#sequence, pageSize);
      for (const turn of page.turns) this.#count(turn);
    } while (page.more);
    this.#readAt = now();
  }

  #count(turn: NumberedInteraction): void {
    const key = ledgerKey(turn);
    this.#sequence = Math.max(this.#sequence, turn.seq);
    // Negative numbers are replies without scores.
    if (turn.seq < 0) return void this.#unscored.set(key, this.#spentOnTurn(turn));
    this.#unscored.delete(key);
    this.#read = addSpent(this.#read, this.#spentOnTurn(turn));
    // Helper spend of this process's own turns is counted already.
    if (this.#pending.delete(key)) return;
    const helpers = spentOnHelpers(turn);
    this.#read = addSpent(this.#read, helpers);
    this.#reportedFirst.set(key, helpers);
  }

  #total(): Spent {
    let sum = addSpent(this.#read, this.#helpers);
    for (const spent of [...this.#pending.values(), ...this.#unscored.values()]) sum = addSpent(sum, spent);
    return sum;
  }

  #isCostKnown(): boolean {
    return this.#total().calls > 0;
  }

  /** True when the budget is spent with so many more calls in flight. */
  #isSpentAfter(calls: number): boolean {
    const { budget, deadline, now } = this.#options;
    const late = deadline !== null && now() >= deadline;
    return isSpent(budget, { spent: this.#total(), underWay: this.#callsInFlight + calls, late });
  }

  #endCall(): void {
    this.#callsInFlight = Math.max(0, this.#callsInFlight - 1);
    for (const wake of this.#waitingForEnd) wake();
    this.#reservations.recheck();
  }

  /** Resolves at the end of any call. */
  async #callEnd(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => reject(signal.reason);
    this.#waitingForEnd.add(resolve);
    signal.addEventListener("abort", leave);
    try {
      await promise;
    } finally {
      this.#waitingForEnd.delete(resolve);
      signal.removeEventListener("abort", leave);
    }
  }
}

function ledgerKey({ scenario_index, attempt, turn_index }: LedgerPlace & { turn_index: number }): string {
  return `${scenario_index}/${attempt}/${turn_index}`;
}
