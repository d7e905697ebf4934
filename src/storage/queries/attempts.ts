import { setImmediate } from "node:timers/promises";
import type { Selectable } from "kysely";
import type { AttemptRecord, AttemptWithInteractions, StoredInteraction } from "../../contract/store.ts";
import type { Scores } from "../../contract/score.ts";
import type { Reader, Writer } from "../database.ts";
import { fromNullableJsonText, toJsonText } from "../json-text.ts";
import type { AttemptTable } from "../schema.ts";
import { interactionsOfAttempts } from "./interactions.ts";
import { unfinishedRunStates } from "./states.ts";

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

/** Attempts are read in pages of this many, their turns in groups of about so many. */
const pageSize = 100;
const turnsAtOnce = 200;

export async function findAttempt(reader: Reader, id: string): Promise<AttemptRecord | null> {
  const row = await reader.selectFrom("attempt").where("id", "=", id).select(columns).executeTakeFirst();
  return row ? toAttemptRecord(row) : null;
}

/** New averages for an attempt whose run has ended. */
export async function reaverageAttempt(
  writer: Writer,
  runId: string,
  { attempt_id, average_scores }: { attempt_id: string; average_scores: Scores },
): Promise<boolean> {
  const rows = await writer
    .updateTable("attempt")
    .where("id", "=", attempt_id)
    .where("run_id", "=", runId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("run")
          .select("run.id")
          .where("run.id", "=", runId)
          .where("run.state", "not in", unfinishedRunStates),
      ),
    )
    .set({ average_scores: toJsonText(average_scores) })
    .returning("id")
    .execute();
  return rows.length > 0;
}

/** Reads a run in pages by key: however large it is, a bounded number of turns is in memory, and no cursor stays open. */
export async function* streamAttempts(reader: Reader, runId: string): AsyncGenerator<AttemptWithInteractions> {
  let page = await attemptsAfter(reader, runId, null);
  while (page.length > 0) {
    for (const group of groupsByTurns(page)) {
      yield* withTurns(reader, group);
      // A driver that answers at once would otherwise hold up everything else until the last page.
      await setImmediate();
    }
    page = page.length < pageSize ? [] : await attemptsAfter(reader, runId, page.at(-1)!);
  }
}

function attemptsAfter(reader: Reader, runId: string, last: AttemptRow | null): Promise<AttemptRow[]> {
  let query = reader
    .selectFrom("attempt")
    .where("run_id", "=", runId)
    .orderBy("scenario_index")
    .orderBy("attempt")
    .select(columns)
    .limit(pageSize);
  if (last) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("scenario_index", "attempt"), ">", tuple(last.scenario_index, last.attempt)),
    );
  }
  return query.execute();
}

/** Splits a page so that one read brings about `turnsAtOnce` turns; an attempt is never split. */
function* groupsByTurns(page: readonly AttemptRow[]): Generator<readonly AttemptRow[]> {
  let group: AttemptRow[] = [];
  let turns = 0;
  for (const row of page) {
    if (group.length > 0 && turns + row.interactions_done > turnsAtOnce) {
      yield group;
      group = [];
      turns = 0;
    }
    group.push(row);
    turns += row.interactions_done;
  }
  yield group;
}

async function* withTurns(reader: Reader, rows: readonly AttemptRow[]): AsyncGenerator<AttemptWithInteractions> {
  const turns = await interactionsOfAttempts(
    reader,
    rows.map((row) => row.id),
  );
  const byAttempt = Map.groupBy(turns, (turn: StoredInteraction) => turn.attempt_id);
  for (const row of rows) yield { ...toAttemptRecord(row), interactions: byAttempt.get(row.id) ?? [] };
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
