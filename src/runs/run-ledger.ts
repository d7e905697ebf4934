import type { Budget } from "../contract/schemas/budget.ts";
import type { StoredReply } from "../contract/schemas/interaction-result.ts";
import type { NumberedInteraction, Store, StoredInteraction, TurnPage } from "../contract/ports/store.ts";
import {
  addSpent,
  isSpent,
  noSpent,
  spentOnHelpers,
  spentOnReply,
  subtractSpent,
  type Spent,
} from "../evaluation/budget/budget.ts";
import type { SpendingTurn } from "../evaluation/budget/budget.ts";
import { createCallNeeds, type CallNeed } from "./call-needs.ts";

/** What a run with a budget has spent so far, in this process and in others. */
export interface RunLedger {
  /** Reads what was stored since the last time, by this process or another; with `ifOlderThan`, only when that is so long ago. */
  refresh(options?: { ifOlderThan?: number }): Promise<void>;
  /**
   * An attempt that needs so many calls begins: as soon as the budget bears them beside what others under way still need, or nothing
   * is under way any more, or the budget is spent. Rejects when `signal` aborts meanwhile.
   */
  begin(calls: number, signal: AbortSignal): Promise<CallNeed>;
  /**
   * Whether one more call may start; counts it as under way. While no call has told what one takes, whatever may be too much waits
   * for the end of another. Rejects when `signal` aborts meanwhile.
   */
  admit(signal: AbortSignal): Promise<boolean>;
  /** A call that was admitted is over without a turn of its own. What a helping model took counts from here. */
  settle(took?: Spent): void;
  /** A call that was admitted is over with this reply, which counts from here. */
  replied(turn: Place & { turn_index: number; reply: StoredReply }): void;
  /** A turn is stored with its scores. Until the store tells of it, it counts from here. */
  stored(turn: Omit<StoredInteraction, "attempt_id"> & Place): void;
  readonly spent: boolean;
}

interface Place {
  readonly scenario_index: number;
  readonly attempt: number;
}

const pageSize = 500;

export function createRunLedger({
  runId,
  store,
  budget,
  firstCalls = Number.POSITIVE_INFINITY,
  spentOnTurn = ({ reply }) => spentOnReply(reply),
  deadline,
  now,
}: {
  runId: string;
  store: Store;
  budget: Budget;
  /** Calls at once that the budget bears while none has told what one takes. */
  firstCalls?: number;
  /** What the reply to a turn took. Default: what its endpoint told. */
  spentOnTurn?: (turn: SpendingTurn) => Spent;
  /** When `budget.seconds` are over; null without such a limit. */
  deadline: number | null;
  now: () => number;
}): RunLedger {
  let read = noSpent;
  // From the very first time on: what a process that died left to be scored is paid for too.
  let sequence = Number.NEGATIVE_INFINITY;
  let readAt = Number.NEGATIVE_INFINITY;
  let underWay = 0;
  let refreshing: Promise<void> | null = null;
  /** What the helping models of this process took. It is stored with turns later, that of a whole conversation later still. */
  let helped = noSpent;
  const pending = new Map<string, Spent>();
  /** Replies that are not stored with their scores yet: those of this process, and those that were left so when it began to read. */
  const unscored = new Map<string, Spent>();
  /**
   * Turns the store told of that this process has not, or not yet, told of itself, with what helping with them took: they must not
   * count twice.
   */
  const taken = new Map<string, Spent>();
  /** Those who wait for the end of a call. */
  const waiting = new Set<() => void>();
  const needs = createCallNeeds({
    // One whose first call would have to wait need not begin.
    bears: ({ calls, attempts }) => ledger.spent || ((attempts <= firstCalls || hasTold()) && !isSpentAfter(calls - 1)),
  });

  function total(): Spent {
    let sum = addSpent(read, helped);
    for (const spent of [...pending.values(), ...unscored.values()]) sum = addSpent(sum, spent);
    return sum;
  }

  /** Whether a call has told what one takes. */
  const hasTold = (): boolean => total().calls > 0;

  /** Whether the budget is spent once so many calls more are under way. */
  function isSpentAfter(calls: number): boolean {
    const late = deadline !== null && now() >= deadline;
    return isSpent(budget, { spent: total(), underWay: underWay + calls, late });
  }

  function take(turn: NumberedInteraction): void {
    sequence = Math.max(sequence, turn.seq);
    if (turn.seq < 0) return void unscored.set(keyOf(turn), spentOnTurn(turn));
    unscored.delete(keyOf(turn));
    read = addSpent(read, spentOnTurn(turn));
    // A turn this process stored is counted from here on by what the store says.
    if (pending.delete(keyOf(turn))) return;
    const help = spentOnHelpers(turn.scores);
    read = addSpent(read, help);
    taken.set(keyOf(turn), help);
  }

  async function readOn(): Promise<void> {
    let page: TurnPage;
    do {
      page = await store.interactions.after(runId, sequence, pageSize);
      for (const turn of page.turns) take(turn);
    } while (page.more);
    readAt = now();
  }

  function callEnded(): void {
    underWay = Math.max(0, underWay - 1);
    for (const wake of waiting) wake();
    needs.look();
  }

  async function nextEnd(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => reject(signal.reason);
    waiting.add(resolve);
    signal.addEventListener("abort", leave);
    try {
      await promise;
    } finally {
      waiting.delete(resolve);
      signal.removeEventListener("abort", leave);
    }
  }

  const ledger: RunLedger = {
    get spent() {
      return isSpentAfter(0);
    },
    async refresh({ ifOlderThan = 0 } = {}) {
      if (ifOlderThan > 0 && now() - readAt < ifOlderThan) return;
      refreshing ??= readOn().finally(() => {
        refreshing = null;
      });
      await refreshing;
    },
    begin: needs.begin,
    async admit(signal) {
      while (underWay >= firstCalls && !hasTold() && !ledger.spent) await nextEnd(signal);
      if (ledger.spent) return false;
      underWay++;
      return true;
    },
    settle(took = noSpent) {
      helped = addSpent(helped, took);
      callEnded();
    },
    replied(turn) {
      if (!taken.has(keyOf(turn))) unscored.set(keyOf(turn), spentOnTurn(turn));
      callEnded();
    },
    stored(turn) {
      unscored.delete(keyOf(turn));
      // Another attempt may have read it between its commit and this call.
      const help = taken.get(keyOf(turn));
      if (help) {
        taken.delete(keyOf(turn));
        read = subtractSpent(read, help);
        return;
      }
      pending.set(keyOf(turn), spentOnTurn(turn));
    },
  };
  return ledger;
}

function keyOf({ scenario_index, attempt, turn_index }: Place & { turn_index: number }): string {
  return `${scenario_index}/${attempt}/${turn_index}`;
}
