import { isShuttingDown } from "../../contract/errors/errors.ts";

interface ConcurrencyOptions<Item, Result> {
  /** Items that run at the same time. */
  readonly lanes: number;
  readonly signal: AbortSignal;
  /** `signal` aborts with the caller's, and when the work ends early. */
  readonly run: (item: Item, signal: AbortSignal) => Promise<Result>;
  /** Awaited before each item. After `false` no item is started; those under way finish. */
  readonly admit?: (() => boolean | Promise<boolean>) | undefined;
  /** Awaited before the next item of a lane. `false` ends the work: results still under way are dropped. */
  readonly keep: (item: Item, result: Result) => Promise<boolean>;
}

/**
 * Runs items in order, at most `lanes` at a time. Resolves to true when all were done, to false when `keep` or `admit` ended the
 * work. Rejects with the first failure, or when `signal` aborts, once every lane has stopped. An item rejected by a shutdown ends
 * only its lane: those under way finish.
 */
export async function runConcurrently<Item, Result>(
  items: readonly Item[],
  { lanes, signal, run, keep, admit = () => true }: ConcurrencyOptions<Item, Result>,
): Promise<boolean> {
  const waiting = items.values();
  // A single lane has no others to stop.
  const ending = lanes > 1 ? new AbortController() : null;
  const itemSignal = ending ? AbortSignal.any([signal, ending.signal]) : signal;
  let over = false;
  const failures: unknown[] = [];
  let refused = false;

  function end(): void {
    over = true;
    ending?.abort();
  }

  async function runLane(): Promise<void> {
    // All lanes share one iterator, so each item runs once.
    for (const item of waiting) {
      if (over || signal.aborted) return;
      if (!(await admit())) refused = true;
      if (refused || over || signal.aborted) return;
      const result = await run(item, itemSignal);
      // A result that arrives while the caller aborts is paid for, so `keep` may still store it.
      if (over) return;
      if (!(await keep(item, result))) end();
    }
  }

  async function guardLane(): Promise<void> {
    try {
      await runLane();
    } catch (error) {
      if (!over && !signal.aborted) failures.push(error);
      if (isShuttingDown(error)) refused = true;
      else end();
    }
  }

  await Promise.all(Array.from({ length: Math.max(1, Math.min(lanes, items.length)) }, guardLane));
  signal.throwIfAborted();
  if (failures.length > 0) throw failures[0];
  return !over && !refused;
}
