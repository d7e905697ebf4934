import { sql, type Expression, type SqlBool } from "kysely";
import type { NewFigures, RescoreHold, RunFilter, RunPage, RunRecord } from "../../contract/ports/store.ts";
import type { RunState, RunSummary } from "../../contract/schemas/run.ts";
import type { Reader, Writer } from "../database.ts";
import type { Dispatch } from "../dispatch.ts";
import { toJsonText } from "../json-text.ts";
import { isPlainId } from "../plain-id.ts";
import type { RunCarriers } from "../run-carriers.ts";
import { closeAttempts } from "./close-attempts.ts";
import { contains } from "./contains.ts";
import { countThatFit } from "./count-that-fit.ts";
import { parseCursor, toCursor } from "./cursor.ts";
import { countDone } from "./progress.ts";
import { isStillHeld } from "./rescore-hold.ts";
import { toRunRecords } from "./run-record.ts";
import { holdRun } from "./run-sequence.ts";
import { numberUnscored } from "./score-interactions.ts";
import { activeRunStates, ready, running, unfinishedRunStates } from "./states.ts";

export async function findRun(reader: Reader, id: string, carriers: RunCarriers): Promise<RunRecord | null> {
  if (!isPlainId(id)) return null;
  const rows = await reader.selectFrom("run").where("id", "=", id).where("removed", "=", 0).selectAll().execute();
  const [record] = await toRunRecords(reader, rows, carriers);
  return record ?? null;
}

export async function stateOfRun(reader: Reader, id: string): Promise<RunState | null> {
  const row = await reader
    .selectFrom("run")
    .where("id", "=", id)
    .where("removed", "=", 0)
    .select("state")
    .executeTakeFirst();
  return row?.state ?? null;
}

/** One page, newest first: shorter than asked for where runs are long. The row beyond the page tells whether there is a next one. */
export async function listRuns(reader: Reader, filter: RunFilter, carriers: RunCarriers): Promise<RunPage> {
  const limit = Math.max(1, Math.floor(filter.limit));
  const found = await matching(reader, filter)
    .select(["id", "created_at", textLength.as("bytes")])
    .limit(limit + 1)
    .execute();
  const page = found.slice(0, countThatFit(found.slice(0, limit)));
  const last = page.at(-1);
  if (!last) return { runs: [], next_cursor: null };
  const ids = page.map(({ id }) => id);
  const rows = await matching(reader, filter).where("id", "in", ids).selectAll().execute();
  return {
    runs: await toRunRecords(reader, rows, carriers),
    next_cursor: found.length > page.length ? toCursor(last) : null,
  };
}

/** Of the texts that callers make as long as they like: prompts, metadata, names, tags. */
const textLength = sql<number>`octet_length(settings) + octet_length(warnings) + coalesce(octet_length(summary), 0)`;

/** The runs that are looked for, newest first. */
function matching(reader: Reader, filter: RunFilter) {
  let query = reader.selectFrom("run").where("removed", "=", 0).orderBy("created_at", "desc").orderBy("id", "desc");
  if (filter.state !== undefined) query = query.where("state", "=", filter.state);
  if (filter.test_name !== undefined) query = query.where("test_name", "=", toJsonText(filter.test_name));
  if (filter.model_id !== undefined) query = query.where("model_id", "=", toJsonText(filter.model_id));
  const { search, search_model_ids: named = [] } = filter;
  if (search !== undefined) {
    query = query.where(({ eb, or }) =>
      or([
        mentions(sql`test_name`, search),
        mentions(sql`model_id`, search),
        ...(named.length > 0 ? [eb("model_id", "in", named.map(toJsonText))] : []),
      ]),
    );
  }
  if (filter.owner !== undefined) query = query.where("owner", filter.owner === null ? "is" : "=", filter.owner);
  if (filter.cursor !== undefined) {
    const { created_at, id } = parseCursor(filter.cursor);
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple("created_at", "id"), "<", tuple(created_at, id)));
  }
  return query;
}

/** Letters that are found in any case: each is one more call around the last, and a database nests only so many. */
const mostFolded = 100;

/** In any case. Databases know that of English letters; which large letters stand for the text's others, they are told. */
function mentions(column: Expression<string>, text: string): Expression<SqlBool> {
  const small = text.toLowerCase();
  const foreign = new Set([...small].filter((letter) => letter > "\x7f" && letter.toUpperCase() !== letter));
  const folded = [...foreign]
    .slice(0, mostFolded)
    .reduce<Expression<string>>(
      (stored, letter) => sql<string>`replace(${stored}, ${letter.toUpperCase()}, ${letter})`,
      sql`lower(${column})`,
    );
  return sql<SqlBool>`(${contains(folded, small)} or ${contains(column, text)})`;
}

/** queued → running. The start is never before the creation, whatever the wall clock did between. */
export async function startRun(writer: Writer, id: string, at: number): Promise<void> {
  await writer
    .updateTable("run")
    .where("id", "=", id)
    .where("state", "=", "queued")
    .set({ state: "running", started_at: laterOf("created_at", at) })
    .execute();
}

interface RunEnd {
  readonly state: RunState;
  readonly message: string;
  readonly summary: RunSummary;
  readonly at: number;
}

/**
 * Ends a run with its counts as they are now. One that was cancelled ends as that and no other does: whoever was told so must not find
 * it completed. Attempts that are still open are closed, so nobody works for nothing.
 */
export async function finishRun(
  writer: Writer,
  id: string,
  { dispatch, ...end }: RunEnd & { readonly dispatch: Dispatch },
): Promise<boolean> {
  await holdRun(writer, id);
  const counts = await countDone(writer, [id]);
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
  await numberUnscored(writer, id);
  await closeAttempts(writer, id, dispatch);
  return true;
}

/**
 * The run stops taking work at once; attempts under way end at their next write or heartbeat. Those that wait are closed when the
 * run ends or at a sweep: closing them here would hold up the answer, and get in the way of whoever is claiming them.
 */
export async function cancelRun(writer: Writer, id: string, dispatch: Dispatch): Promise<boolean> {
  await holdRun(writer, id);
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
  { summary, message, settings, scenarios = [] }: NewFigures,
  hold?: RescoreHold,
): Promise<boolean> {
  if (hold && !(await isStillHeld(writer, hold))) return false;
  const rows = await writer
    .updateTable("run")
    .where("id", "=", id)
    .where("removed", "=", 0)
    .where("state", "not in", unfinishedRunStates)
    .set({
      summary: toJsonText(summary),
      message: toJsonText(message),
      ...(settings && { settings: toJsonText(settings) }),
    })
    .returning("id")
    .execute();
  if (rows.length === 0) return false;
  for (const { index, scenario } of scenarios) {
    await writer
      .updateTable("run_scenario")
      .where("run_id", "=", id)
      .where("scenario_index", "=", index)
      .set({ definition: toJsonText(scenario) })
      .execute();
  }
  return true;
}

/** Runs that were cancelled and have attempts under way, or did a moment ago. */
export async function cancellingRuns(reader: Reader): Promise<string[]> {
  const rows = await reader.selectFrom("run").where("state", "=", "cancelling").select("id").execute();
  return rows.map((row) => row.id);
}

export async function unconcludedRuns(reader: Reader): Promise<string[]> {
  const rows = await reader
    .selectFrom("run")
    .where("state", "in", unfinishedRunStates)
    // What is ready in a run that was cancelled will never be handed out.
    .where(({ or, eb, not, exists, selectFrom }) =>
      or([
        eb("run.state", "=", "cancelling"),
        not(exists(selectFrom("attempt").select("id").whereRef("run_id", "=", "run.id").where("state", "=", ready))),
      ]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("attempt").select("id").whereRef("run_id", "=", "run.id").where("state", "=", running))),
    )
    .orderBy("created_at")
    .orderBy("id")
    .select("id")
    .execute();
  return rows.map((row) => row.id);
}

function laterOf(column: "created_at" | "coalesce(started_at, created_at)", at: number) {
  const earlier = sql.raw<number>(column);
  return sql<number>`case when ${earlier} > ${at} then ${earlier} else ${at} end`;
}
