import type { ClaimedAttempt } from "../../contract/queue.ts";
import type { Reader, Writer } from "../database.ts";
import { activeRunStates, running } from "../queries/states.ts";
import { isAvailable, isExpired } from "./lease-time.ts";
import { shareOut, type WaitingRun } from "./share-out.ts";
import { takeBack } from "./take-back.ts";

export interface Claim {
  readonly worker: string;
  readonly limit: number;
  readonly perRun: number;
  readonly now: number;
  readonly leaseMs: number;
}

/** Takes back what has expired, then leases ready attempts to the worker, fairly between the runs. */
export async function claimAttempts(writer: Writer, claim: Claim): Promise<ClaimedAttempt[]> {
  await takeBack(writer, isExpired(claim));
  if (claim.limit <= 0) return [];
  const runs = await waitingRuns(writer, claim);
  const claimed: ClaimedAttempt[] = [];
  for (const [runId, count] of shareOut(runs, { places: claim.limit, perRun: claim.perRun })) {
    claimed.push(...(await leaseAttempts(writer, { ...claim, runId, count })));
  }
  return claimed;
}

/** Whether there is anything to claim, as a cheap look before a claim. */
export async function hasWork(reader: Reader, now: number): Promise<boolean> {
  const row = await reader
    .selectFrom("run")
    .where("state", "in", activeRunStates)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom("attempt").select("id").whereRef("run_id", "=", "run.id").where(isAvailable(now))),
    )
    .select("id")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Runs with something ready. Ready attempts are counted only as far as there are places: a run may have thousands. */
export async function waitingRuns(writer: Writer, { limit, now }: Pick<Claim, "limit" | "now">): Promise<WaitingRun[]> {
  const rows = await writer
    .selectFrom("run")
    .where("run.state", "in", activeRunStates)
    .select((select) => [
      "run.id",
      "run.priority",
      "run.max_concurrency",
      "run.created_at",
      select
        .selectFrom("attempt")
        .whereRef("run_id", "=", "run.id")
        .where("state", "=", running)
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .as("running"),
      select
        .selectFrom((from) =>
          from
            .selectFrom("attempt")
            .whereRef("run_id", "=", "run.id")
            .where(isAvailable(now))
            // In the order of the index, so that reading it can stop at the limit.
            .orderBy("available_at")
            .orderBy("scenario_index")
            .orderBy("attempt")
            .select("attempt.id")
            .limit(limit)
            .as("waiting"),
        )
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .as("ready"),
    ])
    .execute();
  return rows.map((row) => ({ ...row, running: Number(row.running), ready: Number(row.ready) }));
}

async function leaseAttempts(
  writer: Writer,
  { worker, now, leaseMs, runId, count }: Claim & { runId: string; count: number },
): Promise<ClaimedAttempt[]> {
  const rows = await takeLease(writer, { worker, until: now + leaseMs })
    .where("id", "in", (from) =>
      from
        .selectFrom("attempt")
        .where("run_id", "=", runId)
        .where(isAvailable(now))
        .orderBy("available_at")
        .orderBy("scenario_index")
        .orderBy("attempt")
        .limit(count)
        .select("id"),
    )
    .execute();
  return toClaimed(rows);
}

/** An update that gives attempts, still to be named, to a worker under their next fence. */
export function takeLease(writer: Writer, { worker, until }: { worker: string; until: number }) {
  return writer
    .updateTable("attempt")
    .set((update) => ({
      state: running,
      lease_owner: worker,
      lease_until: until,
      fence: update("fence", "+", 1),
      tries: update("tries", "+", 1),
    }))
    .returning(["id", "fence", "run_id", "scenario_index", "attempt", "tries"]);
}

type LeasedRow = Omit<ClaimedAttempt, "lease"> & { readonly id: string; readonly fence: number };

export function toClaimed(rows: readonly LeasedRow[]): ClaimedAttempt[] {
  return rows
    .toSorted((left, right) => left.scenario_index - right.scenario_index || left.attempt - right.attempt)
    .map(({ id, fence, ...attempt }) => ({ lease: { attempt_id: id, fence }, ...attempt }));
}
