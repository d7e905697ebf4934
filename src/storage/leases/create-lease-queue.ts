import { sql, type SqlBool } from "kysely";
import type { Queue } from "../../contract/queue.ts";
import type { Lease } from "../../contract/store.ts";
import type { Scores } from "../../contract/score.ts";
import type { Clock } from "../clock.ts";
import type { Database, Writer } from "../database.ts";
import { toJsonText } from "../json-text.ts";
import { isHeldBy } from "../queries/conditions.ts";
import { done, ready, running } from "../queries/states.ts";
import { claimAttempts } from "./claim.ts";
import { longestDelayMs } from "./lease-time.ts";
import { renewLeases } from "./renew.ts";
import { takeBack } from "./take-back.ts";
import { isDeadWorker, rememberWorker, type Place } from "./worker-processes.ts";
import type { WorkSignal } from "./work-signal.ts";

export interface LeaseQueueOptions extends Place {
  readonly database: Database;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly work: WorkSignal;
}

/** A queue made of leases on the attempt rows themselves: there is no second copy of what is to be done. */
export function createLeaseQueue({ database, clock, leaseMs, work, host, pid }: LeaseQueueOptions): Queue {
  const { write } = database;
  return {
    claim(options) {
      rememberWorker(options.worker);
      return write((writer) => claimAttempts(writer, { ...options, now: clock.steady(), leaseMs }));
    },
    heartbeat: (worker, leases) =>
      write((writer) => renewLeases(writer, { worker, leases, until: clock.steady() + leaseMs })),
    async finish(lease, result) {
      const outcome = await write((writer) => finishAttempt(writer, lease, result));
      if (outcome.finished) work.announce();
      return outcome;
    },
    async release(lease, { delay_ms = 0 } = {}) {
      const delay = Math.min(Math.max(0, delay_ms), longestDelayMs);
      const availableAt = delay > 0 ? clock.steady() + Math.ceil(delay) : 0;
      await write((writer) => takeBack(writer, isHeldBy(lease), { availableAt }));
      work.announce();
    },
    async recover() {
      const count = await write((writer) => takeBackFromTheDead(writer, { host, pid }));
      if (count > 0) work.announce();
      return count;
    },
    onWork: work.listen,
  };
}

/** A lease whose run is being cancelled may still be finished: all its turns were stored before. */
async function finishAttempt(
  writer: Writer,
  lease: Lease,
  { average_scores }: { average_scores: Scores },
): Promise<{ finished: boolean; run_drained: boolean }> {
  const row = await writer
    .updateTable("attempt")
    .where(isHeldBy(lease))
    .set({ state: done, average_scores: toJsonText(average_scores), lease_owner: null, lease_until: null })
    .returning("run_id")
    .executeTakeFirst();
  if (!row) return { finished: false, run_drained: false };
  return { finished: true, run_drained: await isDrained(writer, row.run_id) };
}

async function isDrained(writer: Writer, runId: string): Promise<boolean> {
  for (const state of [ready, running]) {
    const open = await writer
      .selectFrom("attempt")
      .where("run_id", "=", runId)
      .where("state", "=", state)
      .select("id")
      .limit(1)
      .executeTakeFirst();
    if (open) return false;
  }
  return true;
}

async function takeBackFromTheDead(writer: Writer, here: Place): Promise<number> {
  const owners = await writer
    .selectFrom("attempt")
    .where("state", "=", running)
    .where("lease_owner", "is not", null)
    .select("lease_owner")
    .distinct()
    .execute();
  let count = 0;
  for (const { lease_owner } of owners) {
    if (lease_owner === null || !isDeadWorker(lease_owner, here)) continue;
    count += await takeBack(writer, sql<SqlBool>`(state = ${running} and lease_owner = ${lease_owner})`);
  }
  return count;
}
