import { compact } from "../../../base/compact.ts";
import { ServiceError } from "../../../contract/errors/errors.ts";
import type { Queue } from "../../../contract/ports/queue.ts";
import type { Store } from "../../../contract/ports/store.ts";
import type { HostClock } from "../../tables/host.ts";
import type { Database } from "../../tables/database.ts";
import { longestDelayMs } from "../leases/leases.ts";
import { appendToJournals, type JournalWrite } from "./write-journals.ts";
import { writeAttempts, type AttemptWrite, type AttemptWritten } from "./write-attempts.ts";

/** The writes of turns and attempts. Concurrent ones of this process share a transaction. */
export interface AttemptWrites {
  readonly store: Store["interactions"]["store"];
  readonly journal: Store["journal"]["append"];
  readonly finish: Queue["finish"];
  readonly release: Queue["release"];
}

interface AttemptWritesOptions {
  readonly database: Database;
  readonly clock: Pick<HostClock, "now">;
}

export function createAttemptWrites({ database, clock }: AttemptWritesOptions): AttemptWrites {
  const write = createBatcher<AttemptWrite, AttemptWritten>({
    run: (writes) => database.write((writer) => writeAttempts(writer, writes)),
  });
  const append = createBatcher<JournalWrite, boolean>({
    run: (writes) => database.write((writer) => appendToJournals(writer, writes)),
  });
  return {
    journal: (lease, part) => append({ lease, part }),
    async store(lease, interaction) {
      const { stored } = await write({ lease, turn: { ...interaction, finished_at: clock.now() } });
      return stored;
    },
    async finish(lease, { average_scores, turn }) {
      const { finished, run_drained } = await write(
        compact({
          lease,
          end: { average_scores },
          turn: turn && { ...turn, finished_at: clock.now() },
        }),
      );
      return { finished, run_drained };
    },
    async release(lease, { delay_ms = 0, broke = false } = {}) {
      const delayMs = Math.ceil(Math.min(Math.max(0, delay_ms), longestDelayMs));
      await write({ lease, release: { delayMs, broke } });
    },
  };
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

interface BatcherOptions<Item, Result> {
  /** All or nothing, with the results in the order of the items. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly most?: number;
}

/**
 * Batches concurrent items: while one batch runs, the next one gathers, so nothing waits longer than necessary. When a
 * batch fails, each item is retried alone, so that no item fails because of another.
 */
export function createBatcher<Item, Result>({
  run,
  most = 200,
}: BatcherOptions<Item, Result>): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let underWay = false;

  async function runAll(): Promise<void> {
    underWay = true;
    // Includes items added in the same turn of the event loop.
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
