import { sql } from "kysely";
import type { NewFigures, RescoreHold, RunEnd } from "../../contract/ports/store.ts";
import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import type { RunChanges } from "../../contract/schemas/run.ts";
import type { Dispatch, Writer } from "../tables/database.ts";
import { fromJsonText, toJsonText } from "../tables/text-columns.ts";
import { activeRunStates, cancelled, ready, running, unfinishedRunStates } from "./conditions.ts";
import { turnBytes } from "./interactions.ts";
import { deleteJournal } from "./journal.ts";
import { deleteSpans } from "./spans.ts";
import { readProgress } from "./progress.ts";
import { storeTotals } from "./scenario-totals.ts";
import { lockRun, ownsRescoring } from "./run-holds.ts";
import { createScenarioWriter, createStateHash, hashesOfStates } from "./shared-states.ts";
import { numberUnscored } from "./store-interactions.ts";

/** Attempts closed together with their run. The rest of a large run follows in steps. */
const closedAtOnce = 100;

/** Rows deleted per transaction: deleting a large run at once would block other writers. */
const rowsAtOnce = 2_000;
/** A long text counts as several rows, because each of its pages is overwritten. */
const pageBytes = 4_096;
const runsAtOnce = 50;

/** queued → running. The start is never before the creation, whatever the wall clock did in between. */
export async function startRun(writer: Writer, id: string, at: number): Promise<void> {
  await writer
    .updateTable("run")
    .where("id", "=", id)
    .where("state", "=", "queued")
    .set({ state: "running", started_at: laterOf("created_at", at) })
    .execute();
}

/**
 * Ends a run with its current counts and closes its open attempts. Only a run being cancelled can end as cancelled, and
 * it cannot end otherwise: a confirmed cancellation must not turn into "completed".
 */
export async function endRun(writer: Writer, id: string, end: RunEnd): Promise<boolean> {
  await lockRun(writer, id);
  const counts = await readProgress(writer, [id]);
  const rows = await writer
    .updateTable("run")
    .where("id", "=", id)
    .where("state", "in", end.state === "cancelled" ? ["cancelling"] : activeRunStates)
    .set({
      state: end.state,
      message: toJsonText(end.message),
      summary: toJsonText(end.summary),
      finished_at: laterOf("coalesce(started_at, created_at)", end.at),
      ...counts(id),
      webhook_due: end.at,
    })
    .returning("id")
    .execute();
  if (rows.length === 0) return false;
  await storeTotals(writer, id, end);
  await numberUnscored(writer, id);
  await closeAttempts(writer, id);
  return true;
}

/**
 * The run takes no more work at once; running attempts end at their next write or heartbeat. Waiting attempts are
 * closed when the run ends or by a sweep: closing them here would delay the response and block concurrent claims.
 */
export async function cancelRun(writer: Writer, id: string, dispatch: Dispatch): Promise<boolean> {
  await lockRun(writer, id);
  const run = await writer.selectFrom("run").where("id", "=", id).select("state").executeTakeFirst();
  if (run?.state === "cancelling") return true;
  const rows = await writer
    .updateTable("run")
    .where("id", "=", id)
    .where("state", "in", activeRunStates)
    .set({ state: "cancelling", unclosed: 1 })
    .returning("id")
    .execute();
  if (rows.length === 0) return false;
  await dispatch.stop(writer, id);
  return true;
}

export async function resummarizeRun(
  writer: Writer,
  id: string,
  { summary, totals, message, settings, scenarios = [] }: NewFigures,
  hold?: RescoreHold,
): Promise<boolean> {
  if (hold && !(await ownsRescoring(writer, hold))) return false;
  const rows = await writer
    .updateTable("run")
    .where("id", "=", id)
    .where("removed", "=", 0)
    .where("state", "not in", unfinishedRunStates)
    .set({
      summary: toJsonText(summary),
      message: toJsonText(message),
      settings: settings && toJsonText(settings),
    })
    .returning("id")
    .execute();
  if (rows.length === 0) return false;
  await storeTotals(writer, id, { summary, totals });
  const hashes = scenarios.length > 0 ? await hashesOfStates(writer, id) : new Set<string>();
  const write = createScenarioWriter(createStateHash(), hashes);
  for (const { index, scenario } of scenarios) {
    await writer
      .updateTable("run_scenario")
      .where("run_id", "=", id)
      .where("scenario_index", "=", index)
      .set({ definition: write(scenario) })
      .execute();
  }
  return true;
}

/** Renames a run or replaces its tags, in any state. */
export async function changeRun(writer: Writer, id: string, { test_name, tags }: RunChanges): Promise<boolean> {
  await lockRun(writer, id);
  const run = await writer
    .selectFrom("run")
    .where("id", "=", id)
    .where("removed", "=", 0)
    .select("settings")
    .executeTakeFirst();
  if (!run) return false;
  const settings = fromJsonText<RunSettings>(run.settings);
  const changed = { ...settings, test_name: test_name ?? settings.test_name, tags: tags ?? settings.tags };
  await writer
    .updateTable("run")
    .where("id", "=", id)
    .set({ settings: toJsonText(changed), test_name: toJsonText(changed.test_name) })
    .execute();
  return true;
}

export async function addLateCalls(writer: Writer, id: string, count: number): Promise<void> {
  await writer
    .updateTable("run")
    .where("id", "=", id)
    .set((row) => ({ late_calls: row("late_calls", "+", count) }))
    .execute();
}

/** One step of closing attempts that large runs left open when they stopped. */
export async function closeRemainingAttempts(writer: Writer, limit: number): Promise<void> {
  const run = await writer
    .selectFrom("run")
    .where("unclosed", "=", sql.lit(1))
    .select("id")
    .limit(1)
    .executeTakeFirst();
  if (!run || (await close(writer, { runId: run.id, state: ready, limit })) === limit) return;
  await writer.updateTable("run").where("id", "=", run.id).set({ unclosed: 0 }).execute();
}

/** Removes an ended run. A small run is deleted at once; the rows of a large one are left to `tidyRuns`. */
export async function removeRun(writer: Writer, id: string): Promise<boolean> {
  const run = await writer
    .updateTable("run")
    .where("id", "=", id)
    .where("removed", "=", 0)
    .where("state", "not in", unfinishedRunStates)
    .set(removal)
    .returning(["attempts_total", "interactions_done"])
    .executeTakeFirst();
  if (!run) return false;
  if (run.attempts_total + run.interactions_done > rowsAtOnce) return true;
  if ((await deleteRows(writer, id, rowsAtOnce)) <= rowsAtOnce) await deleteRunRows(writer, id);
  return true;
}

interface Tidying {
  readonly ended_before: number | null;
  readonly keys_before: number | null;
}

/**
 * One step of removing expired runs, clearing old idempotency keys, and deleting rows of removed runs. True when there
 * is more to do.
 */
export async function tidyRuns(writer: Writer, { ended_before, keys_before }: Tidying): Promise<boolean> {
  const forgotten = keys_before === null ? 0 : await forgetKeys(writer, keys_before);
  const expired = ended_before === null ? 0 : await removeExpired(writer, ended_before);
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
    await deleteRunRows(writer, id);
  }
  return Math.max(forgotten, expired, left.length) === runsAtOnce;
}

function laterOf(column: "created_at" | "coalesce(started_at, created_at)", at: number) {
  const earlier = sql.raw<number>(column);
  return sql<number>`case when ${earlier} > ${at} then ${earlier} else ${at} end`;
}

/** Closes the waiting and running attempts of an ended run. */
async function closeAttempts(writer: Writer, runId: string): Promise<void> {
  await close(writer, { runId, state: running });
  const count = await close(writer, { runId, state: ready, limit: closedAtOnce });
  if (count < closedAtOnce) return;
  await writer.updateTable("run").where("id", "=", runId).set({ unclosed: 1 }).execute();
}

interface Closing {
  readonly runId: string;
  readonly state: typeof ready | typeof running;
  readonly limit?: number;
}

/** Closes attempts in this state and returns their number. */
async function close(writer: Writer, { runId, state, limit }: Closing): Promise<number> {
  const chosen = writer.selectFrom("attempt").where("run_id", "=", runId).where("state", "=", state).select("id");
  const rows = await writer
    .updateTable("attempt")
    .where("id", "in", limit === undefined ? chosen : chosen.limit(limit))
    .where("state", "=", state)
    .set({ state: cancelled, lease_owner: null, lease_until: null })
    .returning("id")
    .execute();
  return rows.length;
}

/** Its idempotency key may be used again. */
const removal = { removed: 1, idempotency_key: null } as const;

async function removeExpired(writer: Writer, endedBefore: number): Promise<number> {
  const rows = await writer
    .updateTable("run")
    .where("id", "in", ({ selectFrom }) =>
      selectFrom("run")
        // Only ended runs have this time.
        .where("finished_at", "<", endedBefore)
        .where("removed", "=", sql.lit(0))
        .orderBy("finished_at")
        .limit(runsAtOnce)
        .select("id"),
    )
    .set(removal)
    .returning("id")
    .execute();
  return rows.length;
}

/** Keys of unfinished runs are kept: a repeated request still refers to that run. */
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

/**
 * Deletes turns, journals, spans and attempts of a run. Returns their number, weighted by size: more than `limit` when some are left.
 */
async function deleteRows(writer: Writer, runId: string, limit: number): Promise<number> {
  let turns = await deleteTurns(writer, runId, limit);
  if (turns > limit) return turns;
  turns += await deleteJournal(writer, { runId, limit: limit - turns, pageBytes });
  if (turns > limit) return turns;
  turns += await deleteSpans(writer, { runId, limit: limit - turns, pageBytes });
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
    .select(["seq", turnBytes.as("bytes")])
    .execute();
  let rows = 0;
  const last = turns.find(({ bytes }) => (rows += 1 + Math.floor(bytes / pageBytes)) > limit) ?? turns.at(-1);
  if (last) await writer.deleteFrom("interaction").where("run_id", "=", runId).where("seq", "<=", last.seq).execute();
  return rows;
}

async function deleteRunRows(writer: Writer, id: string): Promise<void> {
  await writer.deleteFrom("run").where("id", "=", id).execute();
}
