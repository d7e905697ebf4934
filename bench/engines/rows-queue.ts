import type { Queue } from "../../src/contract/ports/queue.ts";
import type { Database } from "../../src/storage/tables/database.ts";
import { statement } from "../../src/storage/queries/statement.ts";
import type { AttemptWrites } from "../../src/storage/queues/boss/attempt-writes.ts";
import { claimFromRuns } from "../../src/storage/queues/boss/claim.ts";
import { createRoundRobin } from "../../src/storage/queues/leases/fair-share.ts";
import { toClaimed } from "../../src/storage/queues/leases/claim.ts";

interface RowsQueueOptions {
  /** False: first come, first served, the least that a claim can cost. True: with the limits of runs and fair shares. */
  readonly fair: boolean;
  readonly database: Database;
  /** Ends of attempts are stored as in the product: they are no part of a claimer. */
  readonly writes: Pick<AttemptWrites, "finish" | "release">;
  readonly leaseMs: number;
}

/** The clock of leases, in milliseconds. */
const clock = "floor(extract(epoch from now()) * 1000)::bigint";

// Runs in the order of their priority and age: nothing keeps a run to its concurrency, or shares workers between runs.
const claimStatement = statement<Parameters<typeof toClaimed>[0][number]>(
  `update attempt set state = 'running', lease_owner = ?, lease_until = ${clock} + ?, fence = fence + 1, tries = tries + 1
    where id = any(array(
      select ready.id from run cross join lateral (
        select id from attempt
        where run_id = run.id and state = 'ready' and available_at <= ${clock}
        order by available_at, scenario_index, attempt limit ? for update skip locked
      ) as ready
      where run.state in ('queued', 'running') order by run.priority desc, run.created_at limit ?
    ))
    returning id, fence, run_id, scenario_index, attempt, tries, breaks`,
);

const activeStatement = statement<{ id: string }>("select id from run where state in ('queued', 'running')");

const renewStatement = statement<{ id: string }>(
  `update attempt set lease_until = ${clock} + ?
    where id = any(?::text[]) and lease_owner = ? and state = 'running' returning id`,
);

const reclaimStatement = statement<{ id: string }>(
  `update attempt set state = 'ready', lease_owner = null, lease_until = null
    where state = 'running' and lease_until <= ${clock} returning id`,
);

/** The competitor of the product's queue on PostgreSQL: attempts are claimed from their rows, with `skip locked`, and no engine. */
export function createRowsQueue({ fair, database: { write }, writes, leaseMs }: RowsQueueOptions): Queue {
  const order = createRoundRobin();
  return {
    claim: (options) =>
      write(async (writer) => {
        const { worker, limit } = options;
        if (!fair) return toClaimed(await claimStatement(writer, [worker, leaseMs, limit, limit]));
        const runs = new Set((await activeStatement(writer, [])).map(({ id }) => id));
        return claimFromRuns(writer, { ...options, runs, leaseMs, order });
      }),
    async heartbeat(worker, leases) {
      const ids = leases.map(({ attempt_id }) => attempt_id);
      const rows = await write((writer) => renewStatement(writer, [leaseMs, ids, worker]));
      const kept = new Set(rows.map(({ id }) => id));
      return ids.filter((id) => !kept.has(id));
    },
    finish: writes.finish,
    release: writes.release,
    recover: async () => (await write((writer) => reclaimStatement(writer, []))).length,
    onWork: () => () => {},
    onCancel: () => () => {},
  };
}
