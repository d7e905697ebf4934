import { setImmediate } from "node:timers/promises";
import { sql, type Selectable } from "kysely";
import type {
  AttemptAverages,
  AttemptRecord,
  AttemptWithInteractions,
  RescoreHold,
} from "../../contract/ports/store.ts";
import type { Scores } from "../../contract/schemas/scores/score.ts";
import type { Readers, Reader, Writer } from "../tables/database.ts";
import type { AttemptTable } from "../tables/schema.ts";
import { fromNullableJsonText, toJsonText } from "../tables/text-columns.ts";
import { isAfterAttempt } from "./conditions.ts";
import { selectTurnTexts, toStoredInteraction, turnBytes, type TurnTexts } from "./interactions.ts";
import { bytesAtOnce, createPageReader, prefetch } from "./paging.ts";
import { ownsRescoring } from "./run-holds.ts";

/** Attempts per page, and turns per read. */
const pageSize = 100;

/** Few enough that nothing else waits for them. */
const averagesPageSize = 2000;

const turnsAtOnce = 200;
/** Characters of stored text that are parsed before the event loop may run other work. */
const charactersAtOnce = 50_000;

export async function findAttempt(reader: Reader, id: string): Promise<AttemptRecord | null> {
  const row = await reader.selectFrom("attempt").where("id", "=", id).select(columns).executeTakeFirst();
  return row ? toAttemptRecord(row) : null;
}

/** Reads a run in pages by key: the turns and text in memory are bounded, and no cursor stays open. */
export async function* streamAttempts(
  database: Readers,
  runId: string,
  scenarioIndex?: number,
): AsyncGenerator<AttemptWithInteractions> {
  let read = 0;
  for await (const group of prefetch(attemptGroups(database, { runId, scenarioIndex }))) {
    for (const { row, turns } of group) {
      yield { ...toAttemptRecord(row), interactions: turns.map(toStoredInteraction) };
      // Processing a turn takes time in proportion to its length, so other work may run after a bounded amount of text.
      read += turns.reduce((sum, turn) => sum + turn.reply.length + (turn.scores?.length ?? 0), 0);
      if (read < charactersAtOnce) continue;
      read = 0;
      await setImmediate();
    }
  }
}

/** The average scores of every attempt with a stored turn, without its turns, in order and in pages. */
export async function* streamAverages(
  { reader, longReader = reader }: Readers,
  runId: string,
): AsyncGenerator<readonly AttemptAverages[]> {
  let page = await averagesAfter(reader, runId, null);
  for (;;) {
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (!last || page.length < averagesPageSize) return;
    await setImmediate();
    page = await averagesAfter(longReader, runId, last);
  }
}

/** The average scores of the attempts of some scenarios. */
export async function averagesOfScenarios(
  reader: Reader,
  runId: string,
  indexes: readonly number[],
): Promise<AttemptAverages[]> {
  if (indexes.length === 0) return [];
  const rows = await averages(reader, runId).where("scenario_index", "in", indexes).execute();
  return rows.map(toAverages);
}

/** Replaces the average scores of an attempt of an ended run that is being rescored. */
export async function reaverageAttempt(
  writer: Writer,
  hold: RescoreHold,
  { attempt_id, average_scores }: { attempt_id: string; average_scores: Scores },
): Promise<boolean> {
  if (!(await ownsRescoring(writer, hold))) return false;
  const rows = await writer
    .updateTable("attempt")
    .where("id", "=", attempt_id)
    .where("run_id", "=", hold.run_id)
    .set({ average_scores: toJsonText(average_scores) })
    .returning("id")
    .execute();
  return rows.length > 0;
}

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

/** An attempt with the size of its turns. */
type SizedAttempt = AttemptRow & { readonly bytes: number | string | null };

interface AttemptRows {
  readonly row: AttemptRow;
  readonly turns: readonly TurnTexts[];
}

/** Yields attempts page by page; a long attempt is read in the reader's thread. */
async function* attemptGroups(database: Readers, wanted: WantedAttempts): AsyncGenerator<readonly AttemptRows[]> {
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
  /** Undefined: all scenarios. */
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
  if (last) query = query.where(isAfterAttempt(last));
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

/**
 * Splits a page so that one read returns about `turnsAtOnce` turns or `bytesAtOnce` of text. An attempt is never split.
 */
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
  const turns = await selectTurnTexts(
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

async function averagesAfter(reader: Reader, runId: string, last: AttemptAverages | null): Promise<AttemptAverages[]> {
  let query = averages(reader, runId).limit(averagesPageSize);
  if (last) query = query.where(isAfterAttempt(last));
  return (await query.execute()).map(toAverages);
}

const averages = (reader: Reader, runId: string) =>
  reader
    .selectFrom("attempt")
    .where("run_id", "=", runId)
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb("interactions_done", ">", 0),
        exists(selectFrom("interaction").whereRef("attempt_id", "=", "attempt.id").select("turn_index")),
      ]),
    )
    .orderBy("scenario_index")
    .orderBy("attempt")
    .select(["scenario_index", "attempt", "state", "average_scores", "interactions_done"]);

const toAverages = (
  row: Pick<Selectable<AttemptTable>, "scenario_index" | "attempt" | "state" | "average_scores" | "interactions_done">,
) => ({
  scenario_index: row.scenario_index,
  attempt: row.attempt,
  state: row.state,
  average_scores: fromNullableJsonText<Record<string, number>>(row.average_scores),
  interactions_done: row.interactions_done,
});
