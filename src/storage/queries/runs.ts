import { setImmediate } from "node:timers/promises";
import { sql, type Selectable } from "kysely";
import type { RunFilter, RunPage, RunRecord } from "../../contract/ports/store.ts";
import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import { finalStates, type RunState, type RunSummary } from "../../contract/schemas/run.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import type { Readers, Reader } from "../tables/database.ts";
import type { RunTable } from "../tables/schema.ts";
import { fromJsonText, fromNullableJsonText, isPlainId, toJsonText } from "../tables/text-columns.ts";
import { activeRunStates, ready, running, unfinishedRunStates } from "./conditions.ts";
import { countWithinBytes, createPageReader, parseCursor, toCursor } from "./paging.ts";
import { readProgress, type ProgressCounts } from "./progress.ts";
import type { RunCarriers } from "./run-holds.ts";
import { containsIgnoringCase } from "./search.ts";
import { parseScenarios } from "./shared-states.ts";

const pageSize = 200;

export async function findRunRecord(reader: Reader, id: string, carriers: RunCarriers): Promise<RunRecord | null> {
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

/**
 * One page, newest first, shorter than `limit` when runs are long. One extra row tells whether there is a next page.
 */
export async function listRuns(reader: Reader, filter: RunFilter, carriers: RunCarriers): Promise<RunPage> {
  const limit = Math.max(1, Math.floor(filter.limit));
  const { tag, label, experiment, scoreRange } = filter;
  if (tag !== undefined || label !== undefined || experiment !== undefined || scoreRange) {
    return searchRuns(reader, { ...filter, limit }, carriers);
  }
  const found = await matchingRuns(reader, filter)
    .select(["id", "created_at", textLength.as("bytes")])
    .limit(limit + 1)
    .execute();
  const page = found.slice(0, countWithinBytes(found.slice(0, limit)));
  const last = page.at(-1);
  if (!last) return { runs: [], next_cursor: null };
  const ids = page.map(({ id }) => id);
  const rows = await matchingRuns(reader, filter).where("id", "in", ids).selectAll().execute();
  return {
    runs: await toRunRecords(reader, rows, carriers),
    next_cursor: found.length > page.length ? toCursor(last) : null,
  };
}

/** Rows read for one page of a search; a later page continues where this one stopped. */
const mostSearched = 5_000;

/**
 * One page of a search by tag, label, experiment or score. These are inside JSON texts, whose operators differ between databases, so
 * rows are read in steps and compared here.
 */
async function searchRuns(reader: Reader, filter: RunFilter, carriers: RunCarriers): Promise<RunPage> {
  const runs: RunRecord[] = [];
  let cursor = filter.cursor;
  for (let searched = 0; searched < mostSearched;) {
    const found = await matchingRuns(reader, { ...filter, cursor })
      .select(["id", "created_at", textLength.as("bytes")])
      .limit(pageSize + 1)
      .execute();
    const page = found.slice(0, countWithinBytes(found.slice(0, pageSize)));
    if (page.length === 0) return { runs, next_cursor: null };
    searched += page.length;
    const ids = page.map(({ id }) => id);
    const rows = await matchingRuns(reader, { ...filter, cursor })
      .where("id", "in", ids)
      .selectAll()
      .execute();
    const wanted = rows.filter((row) => isWantedRun(row, filter));
    const taken = wanted.slice(0, filter.limit - runs.length);
    runs.push(...(await toRunRecords(reader, taken, carriers)));
    const isFull = runs.length === filter.limit;
    const last = isFull ? taken.at(-1) : page.at(-1);
    const isEnd =
      found.length === page.length && taken.length === wanted.length && (!isFull || last?.id === page.at(-1)?.id);
    if (isEnd || !last) return { runs, next_cursor: null };
    cursor = toCursor(last);
    if (isFull) return { runs, next_cursor: cursor };
    await setImmediate();
  }
  return { runs, next_cursor: cursor ?? null };
}

function isWantedRun(
  { settings, summary }: Pick<RunRow, "settings" | "summary">,
  { tag, label, experiment, scoreRange: score }: RunFilter,
): boolean {
  if (tag !== undefined || label !== undefined || experiment !== undefined) {
    const { tags, metadata, ...rest } = fromJsonText<Pick<RunSettings, "tags" | "metadata" | "experiment">>(settings);
    if (experiment !== undefined && rest.experiment?.id !== experiment) return false;
    if (tag !== undefined && !tags.includes(tag)) return false;
    if (label !== undefined && !hasLabel(metadata, label)) return false;
  }
  if (!score) return true;
  const mean = fromNullableJsonText<RunSummary>(summary)?.average_scores[score.name];
  return mean !== undefined && mean >= score.minimum && mean <= score.maximum;
}

function hasLabel(metadata: RunSettings["metadata"], label: string): boolean {
  if (Object.hasOwn(metadata, label)) return true;
  const at = label.indexOf("=");
  const [key, value] = [label.slice(0, at), label.slice(at + 1)];
  if (at < 1 || !Object.hasOwn(metadata, key)) return false;
  const stored = metadata[key];
  return (typeof stored === "string" ? stored : JSON.stringify(stored)) === value;
}

export async function unconcludedRuns(reader: Reader): Promise<string[]> {
  const rows = await reader
    .selectFrom("run")
    .where("state", "in", unfinishedRunStates)
    // Ready attempts of a cancelled run are never claimed.
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

/** Runs that were cancelled and have attempts in progress, or had a moment ago. */
export async function cancellingRuns(reader: Reader): Promise<string[]> {
  const rows = await reader.selectFrom("run").where("state", "=", "cancelling").select("id").execute();
  return rows.map((row) => row.id);
}

/** Rows as records, with the progress of unfinished runs and the interruption of tied ones. */
export async function toRunRecords(
  reader: Reader,
  rows: readonly RunRow[],
  carriers: RunCarriers,
): Promise<RunRecord[]> {
  const underWay = rows.filter((row) => !finalStates.has(row.state)).map((row) => row.id);
  const counts = await readProgress(reader, underWay);
  const tied = rows.filter(isTiedAndActive).map((row) => row.id);
  const carried = await carriers.carried(reader, tied);
  return rows.map((row) =>
    toRunRecord(row, {
      counts: finalStates.has(row.state) ? row : counts(row.id),
      interrupted: isTiedAndActive(row) && !carried.has(row.id),
    }),
  );
}

/** The scenarios of a run, in order. Read in pages: thousands at once would block other work. */
export async function scenariosOfRun(database: Readers, id: string): Promise<Scenario[]> {
  const readPage = createPageReader(database);
  const scenarios: Scenario[] = [];
  let page = await readPage((from) => definitionsFrom(from, id, 0));
  for (;;) {
    const definitions = page.map(({ definition }) => definition);
    scenarios.push(...(await parseScenarios(database.reader, id, definitions)));
    const last = page.at(-1);
    if (!last || page.length < pageSize) return scenarios;
    await setImmediate();
    page = await readPage((from) => definitionsFrom(from, id, last.scenario_index + 1));
  }
}

/** Some scenarios of a run, in the order of `indexes`. */
export async function scenariosAt(reader: Reader, runId: string, indexes: readonly number[]): Promise<Scenario[]> {
  if (indexes.length === 0) return [];
  const rows = await reader
    .selectFrom("run_scenario")
    .where("run_id", "=", runId)
    .where("scenario_index", "in", indexes)
    .select(["scenario_index", "definition"])
    .execute();
  const found = new Map(rows.map((row) => [row.scenario_index, row.definition]));
  const definitions = indexes.map((index) => found.get(index)).filter((definition) => definition !== undefined);
  return parseScenarios(reader, runId, definitions);
}

export async function countScenarios(reader: Reader, runId: string): Promise<number> {
  const row = await reader
    .selectFrom("run_scenario")
    .where("run_id", "=", runId)
    .select(({ fn }) => fn.countAll<number | string>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Texts without a length limit: prompts, metadata, names, tags. */
const textLength = sql<number>`octet_length(settings) + octet_length(warnings) + coalesce(octet_length(summary), 0)`;

/** The matching runs, newest first. */
function matchingRuns(reader: Reader, filter: RunFilter) {
  let query = reader.selectFrom("run").where("removed", "=", 0).orderBy("created_at", "desc").orderBy("id", "desc");
  if (filter.state !== undefined) query = query.where("state", "=", filter.state);
  if (filter.test_name !== undefined) query = query.where("test_name", "=", toJsonText(filter.test_name));
  if (filter.model_id !== undefined) query = query.where("model_id", "=", toJsonText(filter.model_id));
  const { search, search_model_ids: named = [] } = filter;
  if (search !== undefined) {
    query = query.where(({ eb, or }) =>
      or([
        containsIgnoringCase(sql`test_name`, search),
        containsIgnoringCase(sql`model_id`, search),
        ...(named.length > 0 ? [eb("model_id", "in", named.map(toJsonText))] : []),
      ]),
    );
  }
  if (filter.createdRange) {
    query = query.where("created_at", ">=", filter.createdRange.from).where("created_at", "<=", filter.createdRange.to);
  }
  if (filter.owner !== undefined) query = query.where("owner", filter.owner === null ? "is" : "=", filter.owner);
  if (filter.cursor !== undefined) {
    const { created_at, id } = parseCursor(filter.cursor);
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple("created_at", "id"), "<", tuple(created_at, id)));
  }
  return query;
}

type RunRow = Selectable<RunTable>;

/** Any process can end a run that is being cancelled. */
const isTiedAndActive = ({ tied, state }: RunRow): boolean =>
  tied === 1 && (activeRunStates as readonly string[]).includes(state);

interface ReadBeside {
  readonly counts: ProgressCounts;
  readonly interrupted: boolean;
}

function toRunRecord(row: RunRow, { counts, interrupted }: ReadBeside): RunRecord {
  return {
    id: row.id,
    settings: fromJsonText(row.settings),
    warnings: fromJsonText(row.warnings),
    late_calls: row.late_calls,
    trace_key:
      row.trace_prefix === null || row.trace_secret === null
        ? null
        : { prefix: row.trace_prefix, secret: row.trace_secret },
    spans_seen: row.spans_seen === 1,
    late_spans: row.late_spans,
    demo: row.demo === 1,
    owner: row.owner,
    priority: row.priority,
    tied: row.tied === 1,
    policy: fromNullableJsonText(row.endpoint_policy),
    interrupted,
    state: row.state,
    message: fromJsonText(row.message),
    created_at: row.created_at,
    started_at: row.started_at,
    finished_at: row.finished_at,
    progress: {
      attempts_total: row.attempts_total,
      attempts_done: counts.attempts_done,
      interactions_total: row.interactions_total,
      interactions_done: counts.interactions_done,
      interactions_failed: counts.interactions_failed,
    },
    summary: fromNullableJsonText(row.summary),
  };
}

function definitionsFrom(
  reader: Reader,
  id: string,
  first: number,
): Promise<{ scenario_index: number; definition: string }[]> {
  return reader
    .selectFrom("run_scenario")
    .where("run_id", "=", id)
    .where("scenario_index", ">=", first)
    .orderBy("scenario_index")
    .select(["scenario_index", "definition"])
    .limit(pageSize)
    .execute();
}
