import { ServiceError } from "../../contract/errors.ts";
import type { Queue } from "../../contract/ports/queue.ts";
import type { Store } from "../../contract/ports/store.ts";
import type { Clock } from "../clock.ts";
import type { Database } from "../database.ts";
import { longestDelayMs } from "../leases/lease-time.ts";
import type { Jobs } from "./jobs.ts";
import { writeAttempts, type AttemptWrite, type AttemptWritten } from "./write-attempts.ts";

/** The writes that every turn and every attempt needs. Those of one process that come together share a transaction. */
export interface AttemptWrites {
  readonly store: Store["interactions"]["store"];
  readonly finish: Queue["finish"];
  readonly release: Queue["release"];
}

interface AttemptWritesOptions {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly clock: Pick<Clock, "now">;
}

export function createAttemptWrites({ database, jobs, clock }: AttemptWritesOptions): AttemptWrites {
  const write = createBatches<AttemptWrite, AttemptWritten>({
    run: (writes) => database.write((writer) => writeAttempts(writer, jobs, writes)),
  });
  return {
    async store(lease, interaction) {
      const { stored } = await write({ lease, turn: { ...interaction, finished_at: clock.now() } });
      return stored;
    },
    async finish(lease, { average_scores, turn }) {
      const { finished, run_drained } = await write({
        lease,
        end: { average_scores },
        ...(turn && { turn: { ...turn, finished_at: clock.now() } }),
      });
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
