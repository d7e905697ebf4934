import { ServiceError } from "../../contract/errors.ts";

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

interface BatchesOptions<Item, Result> {
  /** Does all of it or nothing, and answers in the order it was asked. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly most?: number;
}

/**
 * Does together what comes together: while one batch is under way the next one gathers, so nothing waits longer than it
 * would have to, and a busy process has few large batches. When one fails, each of its items is tried by itself, so that
 * nothing fails for what another one did.
 */
export function createBatches<Item, Result>({
  run,
  most = 200,
}: BatchesOptions<Item, Result>): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let underWay = false;

  async function runAll(): Promise<void> {
    underWay = true;
    // What was asked for in this very turn of the event loop comes along.
    await Promise.resolve();
    while (waiting.length > 0) await settle(waiting.splice(0, most));
    underWay = false;
  }

  async function settle(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
    } catch (error) {
      if (batch.length === 1 || error instanceof ServiceError) for (const { reject } of batch) reject(error);
      else for (const one of batch) await settle([one]);
    }
  }

  return (item) => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    waiting.push({ item, resolve, reject });
    if (!underWay) void runAll();
    return promise;
  };
}
