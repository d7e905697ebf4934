import { sql } from "kysely";
import type { Writer } from "../database.ts";
import { unfinishedRunStates } from "./states.ts";

/** Rows deleted in one transaction: a large run would hold up everyone who wants to write. */
const rowsAtOnce = 2_000;
/** A long text counts as several rows: each of its pages is overwritten. */
const pageBytes = 4_096;
const runsAtOnce = 50;

/** Takes an ended run away. A small one is deleted with it; the rows of a large one are left to `tidyRuns`. */
export async function removeRun(writer: Writer, id: string): Promise<boolean> {
  const run = await writer
    .updateTable("run")
    .where("id", "=", id)
    .where("removed", "=", 0)
    .where("state", "not in", unfinishedRunStates)
    .set(takenAway)
    .returning(["attempts_total", "interactions_done"])
    .executeTakeFirst();
  if (!run) return false;
  if (run.attempts_total + run.interactions_done > rowsAtOnce) return true;
  if ((await deleteRows(writer, id, rowsAtOnce)) <= rowsAtOnce) await deleteRun(writer, id);
  return true;
}

interface Tidying {
  readonly ended_before: number | null;
  readonly keys_before: number | null;
}

/**
 * One step of taking old runs away, forgetting old keys, and deleting what is left of runs that were taken away. True when
 * there is more to do.
 */
export async function tidyRuns(writer: Writer, { ended_before, keys_before }: Tidying): Promise<boolean> {
  const forgotten = keys_before === null ? 0 : await forgetKeys(writer, keys_before);
  const expired = ended_before === null ? 0 : await takeAwayOld(writer, ended_before);
  const left = await writer
    .selectFrom("run")
    .where("removed", "=", sql.lit(1))
    .orderBy("id")
    .limit(runsAtOnce)
    .select("id")
    .execute();
  let budget = rowsAtOnce;
  for (const { id } of left) {
    budget -= await deleteRows(writer, id, budget);
    if (budget < 0) return true;
    await deleteRun(writer, id);
  }
  return Math.max(forgotten, expired, left.length) === runsAtOnce;
}

/** Its idempotency key may be used again. */
const takenAway = { removed: 1, idempotency_key: null } as const;

async function takeAwayOld(writer: Writer, endedBefore: number): Promise<number> {
  const rows = await writer
    .updateTable("run")
    .where("id", "in", ({ selectFrom }) =>
      selectFrom("run")
        // Only runs that have ended have such a time.
        .where("finished_at", "<", endedBefore)
        .where("removed", "=", sql.lit(0))
        .orderBy("finished_at")
        .limit(runsAtOnce)
        .select("id"),
    )
    .set(takenAway)
    .returning("id")
    .execute();
  return rows.length;
}

/** Not those of runs that go on: whoever sends the request again then still means that run. */
async function forgetKeys(writer: Writer, before: number): Promise<number> {
  const rows = await writer
    .updateTable("run")
    .where("id", "in", ({ selectFrom }) =>
      selectFrom("run")
        .where("idempotency_key", "is not", null)
        .where("created_at", "<", before)
        .where("state", "not in", unfinishedRunStates)
        .orderBy("created_at")
        .limit(runsAtOnce)
        .select("id"),
    )
    .set({ idempotency_key: null, idempotency_hash: null })
    .returning("id")
    .execute();
  return rows.length;
}

/** Deletes turns and attempts of a run, and tells as how many rows they count: more than `limit` when some are left. */
async function deleteRows(writer: Writer, runId: string, limit: number): Promise<number> {
  const turns = await deleteTurns(writer, runId, limit);
  if (turns > limit) return turns;
  const attempts = await writer
    .deleteFrom("attempt")
    .where("id", "in", ({ selectFrom }) =>
      selectFrom("attempt")
        .where("run_id", "=", runId)
        .limit(limit - turns + 1)
        .select("id"),
    )
    .executeTakeFirst();
  return turns + Number(attempts.numDeletedRows);
}

async function deleteTurns(writer: Writer, runId: string, limit: number): Promise<number> {
  const turns = await writer
    .selectFrom("interaction")
    .where("run_id", "=", runId)
    .orderBy("seq")
    .limit(limit + 1)
    .select(["seq", sql<number>`octet_length(reply) + coalesce(octet_length(scores), 0)`.as("bytes")])
    .execute();
  let rows = 0;
  const last = turns.find(({ bytes }) => (rows += 1 + Math.floor(bytes / pageBytes)) > limit) ?? turns.at(-1);
  if (last) await writer.deleteFrom("interaction").where("run_id", "=", runId).where("seq", "<=", last.seq).execute();
  return rows;
}

async function deleteRun(writer: Writer, id: string): Promise<void> {
  await writer.deleteFrom("run").where("id", "=", id).execute();
}
