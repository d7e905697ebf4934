import { setImmediate } from "node:timers/promises";
import { sql, type Selectable } from "kysely";
import type { AttemptRecord, AttemptWithInteractions } from "../../contract/ports/store.ts";
import type { LongReads, Reader } from "../database.ts";
import { fromNullableJsonText } from "../json-text.ts";
import type { AttemptTable } from "../schema.ts";
import { interactionRows, toStoredInteraction, turnBytes, type InteractionRow } from "./interactions.ts";
import { createPageReader } from "./page-reader.ts";
import { readAhead } from "./read-ahead.ts";

type AttemptRow = Pick<
  Selectable<AttemptTable>,
  "id" | "run_id" | "scenario_index" | "attempt" | "state" | "average_scores" | "interactions_done"
>;

const columns = [
  "id",
  "run_id",
  "scenario_index",
  "attempt",
  "state",
  "average_scores",
  "interactions_done",
] as const satisfies readonly (keyof AttemptTable)[];

/** An attempt with how much text its turns have. */
type SizedAttempt = AttemptRow & { readonly bytes: number | string | null };

/** Attempts are read in pages of this many, their turns in groups of about so many, and of about so much text. */
const pageSize = 100;
const turnsAtOnce = 200;
const bytesAtOnce = 4 * 1024 * 1024;
/** Characters of stored text that are turned into results before everyone else gets a chance. */
const charactersAtOnce = 50_000;

export async function findAttempt(reader: Reader, id: string): Promise<AttemptRecord | null> {
  const row = await reader.selectFrom("attempt").where("id", "=", id).select(columns).executeTakeFirst();
  return row ? toAttemptRecord(row) : null;
}

/** Reads a run in pages by key: however large it is, a bounded number of turns and of text is in memory, and no cursor stays open. */
export async function* streamAttempts(
  database: LongReads,
  runId: string,
  scenarioIndex?: number,
): AsyncGenerator<AttemptWithInteractions> {
  let read = 0;
  for await (const group of readAhead(groupsOf(database, { runId, scenarioIndex }))) {
    for (const { row, turns } of group) {
      yield { ...toAttemptRecord(row), interactions: turns.map(toStoredInteraction) };
      // What is made of a turn takes time with its length: others get their say after a bounded amount of text.
      read += turns.reduce((sum, turn) => sum + turn.reply.length + (turn.scores?.length ?? 0), 0);
      if (read < charactersAtOnce) continue;
      read = 0;
      await setImmediate();
    }
  }
}

interface AttemptRows {
  readonly row: AttemptRow;
  readonly turns: readonly InteractionRow[];
}

/** Page by page; an attempt that is long by itself is read where it holds up nobody. */
async function* groupsOf(database: LongReads, wanted: WantedAttempts): AsyncGenerator<readonly AttemptRows[]> {
  const { longReader = database.reader } = database;
  const readPage = createPageReader(database);
  let page = await readPage((from) => attemptsAfter(from, wanted, null));
  while (page.length > 0) {
    for (const group of groupsBySize(page)) {
      const isLong = group.length === 1 && !fits(sizeOf(group[0]!));
      yield await (isLong ? withTurns(longReader, group) : readPage((from) => withTurns(from, group)));
    }
    if (page.length < pageSize) return;
    const last = page.at(-1)!;
    page = await readPage((from) => attemptsAfter(from, wanted, last));
  }
}

interface WantedAttempts {
  readonly runId: string;
  /** Undefined: those of all scenarios. */
  readonly scenarioIndex: number | undefined;
}

function attemptsAfter(
  reader: Reader,
  { runId, scenarioIndex }: WantedAttempts,
  last: AttemptRow | null,
): Promise<SizedAttempt[]> {
  let query = reader
    .selectFrom("attempt")
    .where("run_id", "=", runId)
    .orderBy("scenario_index")
    .orderBy("attempt")
    .select(columns)
    .select(
      sql<SizedAttempt["bytes"]>`(select sum(${turnBytes}) from interaction where attempt_id = attempt.id)`.as("bytes"),
    )
    .limit(pageSize);
  if (scenarioIndex !== undefined) query = query.where("scenario_index", "=", scenarioIndex);
  if (last) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("scenario_index", "attempt"), ">", tuple(last.scenario_index, last.attempt)),
    );
  }
  return query.execute();
}

interface Size {
  readonly turns: number;
  readonly bytes: number;
}

const sizeOf = ({ interactions_done, bytes }: SizedAttempt): Size => ({
  turns: interactions_done,
  bytes: Number(bytes ?? 0),
});
const fits = ({ turns, bytes }: Size): boolean => turns <= turnsAtOnce && bytes <= bytesAtOnce;

/** Splits a page so that one read brings about `turnsAtOnce` turns, or `bytesAtOnce` of text; an attempt is never split. */
function* groupsBySize(page: readonly SizedAttempt[]): Generator<readonly SizedAttempt[]> {
  let group: SizedAttempt[] = [];
  let size: Size = { turns: 0, bytes: 0 };
  for (const row of page) {
    const { turns, bytes } = sizeOf(row);
    size = { turns: size.turns + turns, bytes: size.bytes + bytes };
    if (group.length > 0 && !fits(size)) {
      yield group;
      group = [];
      size = { turns, bytes };
    }
    group.push(row);
  }
  yield group;
}

async function withTurns(reader: Reader, rows: readonly AttemptRow[]): Promise<AttemptRows[]> {
  const turns = await interactionRows(
    reader,
    rows.map((row) => row.id),
  );
  const byAttempt = Map.groupBy(turns, (turn) => turn.attempt_id);
  return rows.map((row) => ({ row, turns: byAttempt.get(row.id) ?? [] }));
}

function toAttemptRecord(row: AttemptRow): AttemptRecord {
  return {
    id: row.id,
    run_id: row.run_id,
    scenario_index: row.scenario_index,
    attempt: row.attempt,
    state: row.state,
    average_scores: fromNullableJsonText(row.average_scores),
  };
}
