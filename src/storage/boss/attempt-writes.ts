import type { Queue } from "../../contract/ports/queue.ts";
import type { Store } from "../../contract/ports/store.ts";
import type { Clock } from "../clock.ts";
import type { Database } from "../database.ts";
import { longestDelayMs } from "../leases/lease-time.ts";
import { createBatches } from "./batches.ts";
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
