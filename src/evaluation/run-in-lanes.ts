import { isShuttingDown } from "../contract/errors.ts";

interface LaneOptions<Item, Result> {
  readonly lanes: number;
  readonly signal: AbortSignal;
  /** Its signal aborts with the caller's, and as soon as the whole ends early. */
  readonly run: (item: Item, signal: AbortSignal) => Promise<Result>;
  /** Asked before each item. After `false` no item is started any more; those under way come to their end. */
  readonly admit?: () => boolean | Promise<boolean>;
  /** Takes a result before its lane goes on. `false` ends the whole: results still under way are dropped. */
  readonly keep: (item: Item, result: Result) => Promise<boolean>;
}

/**
 * Works off items in order, at most `lanes` at a time; one lane is one after another. True when all were done,
 * false when `keep` or `admit` ended it. Rejects with the first failure, or when `signal` aborts, once every lane has stopped.
 * An item that does not wait because the process stops ends nothing but its lane: those under way come to their end.
 */
export async function runInLanes<Item, Result>(
  items: readonly Item[],
  { lanes, signal, run, keep, admit = () => true }: LaneOptions<Item, Result>,
): Promise<boolean> {
  const waiting = items.values();
  // A lane by itself has no others to stop.
  const ending = lanes > 1 ? new AbortController() : null;
  const either = ending ? AbortSignal.any([signal, ending.signal]) : signal;
  let over = false;
  const failures: unknown[] = [];
  let refused = false;

  function end(): void {
    over = true;
    ending?.abort();
  }

  async function runLane(): Promise<void> {
    // All lanes draw from one iterator, so each item is taken once.
    for (const item of waiting) {
      if (over || signal.aborted) return;
      if (!(await admit())) refused = true;
      if (refused || over || signal.aborted) return;
      const result = await run(item, either);
      // A result that arrives while the caller aborts is paid for: it is kept if `keep` still takes it.
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
