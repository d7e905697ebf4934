import type { Selectable } from "kysely";
import type { SkipRecord, Store, VerdictKey, VerdictRecord } from "../../contract/ports/store.ts";
import type { Reader, Writer } from "../tables/database.ts";
import type { HumanVerdictTable } from "../tables/schema.ts";
import { fromJsonText, fromNullableJsonText, isPlainId, toJsonText } from "../tables/text-columns.ts";

export async function verdictsOfRun(reader: Reader, runId: string): Promise<VerdictRecord[]> {
  if (!isPlainId(runId)) return [];
  const rows = await reader
    .selectFrom("human_verdict")
    .where("run_id", "=", runId)
    .orderBy("scenario_index")
    .orderBy("attempt")
    .orderBy("turn_index")
    .orderBy("question")
    .orderBy("given_at")
    .orderBy("rater")
    .selectAll()
    .execute();
  return rows.map(toRecord);
}

type Changes = Parameters<Store["verdicts"]["change"]>[1];

/** Stores and withdraws verdicts. False when the run does not exist. */
export async function changeVerdicts(
  writer: Writer,
  runId: string,
  { put, withdraw, skip = [] }: Changes,
): Promise<boolean> {
  if (!isPlainId(runId)) return false;
  // The update locks the run: it cannot be deleted before its verdicts are stored.
  const run = await writer
    .updateTable("run")
    .where("id", "=", runId)
    .where("removed", "=", 0)
    .set({ removed: 0 })
    .returning("id")
    .executeTakeFirst();
  if (!run) return false;
  for (const key of withdraw) await deleteVerdict(writer, runId, key);
  for (const verdict of put) await putVerdict(writer, runId, verdict);
  for (const skipped of skip) await putSkip(writer, runId, skipped);
  return true;
}

async function putVerdict(writer: Writer, runId: string, verdict: VerdictRecord): Promise<void> {
  // A new decision replaces the earlier one, also that of another person.
  if (verdict.adjudication) await deleteVerdict(writer, runId, verdict);
  const { choice, value, comment, sampling, asked, given_at, ...key } = verdict;
  const written = { choice: toJsonText(choice), value, comment: comment === null ? null : toJsonText(comment) };
  await writer
    .insertInto("human_verdict")
    .values({ run_id: runId, ...toColumns(key), rater: toJsonText(key.rater), ...written, sampling, asked, given_at })
    .onConflict((conflict) =>
      conflict
        .columns(["run_id", "scenario_index", "attempt", "turn_index", "question", "against", "adjudication", "rater"])
        .doUpdateSet(({ eb, ref }) => ({
          ...written,
          asked,
          given_at,
          sampling: eb
            .case()
            .when("human_verdict.sampling", "in", ["random", "stratified"])
            .then(ref("human_verdict.sampling"))
            .else(sampling)
            .end(),
        })),
    )
    .execute();
}

/** A reply that was skipped once stays so: that it was drawn does not change. */
async function putSkip(writer: Writer, runId: string, { question, rater, ...skip }: SkipRecord): Promise<void> {
  await writer
    .insertInto("review_skip")
    .values({ run_id: runId, ...skip, question: toJsonText(question), rater: toJsonText(rater) })
    .onConflict((conflict) =>
      conflict
        .columns(["run_id", "scenario_index", "attempt", "turn_index", "question", "against", "rater"])
        .doNothing(),
    )
    .execute();
}

export async function skipsOfRun(reader: Reader, runId: string): Promise<SkipRecord[]> {
  if (!isPlainId(runId)) return [];
  const rows = await reader
    .selectFrom("review_skip")
    .where("run_id", "=", runId)
    .orderBy("scenario_index")
    .orderBy("attempt")
    .orderBy("turn_index")
    .orderBy("question")
    .orderBy("rater")
    .selectAll()
    .execute();
  return rows.map(({ scenario_index, attempt, turn_index, against, sampling, asked, ...row }) => ({
    scenario_index,
    attempt,
    turn_index,
    against,
    sampling,
    asked,
    question: fromJsonText(row.question),
    rater: fromJsonText(row.rater),
    skipped_at: Number(row.skipped_at),
  }));
}

/** Deletes this rater's verdict, or the adjudication of any rater. */
async function deleteVerdict(writer: Writer, runId: string, key: VerdictKey): Promise<void> {
  const { scenario_index, attempt, turn_index, question, against, adjudication } = toColumns(key);
  let query = writer
    .deleteFrom("human_verdict")
    .where("run_id", "=", runId)
    .where("scenario_index", "=", scenario_index)
    .where("attempt", "=", attempt)
    .where("turn_index", "=", turn_index)
    .where("question", "=", question)
    .where("against", "=", against)
    .where("adjudication", "=", adjudication);
  if (!key.adjudication) query = query.where("rater", "=", toJsonText(key.rater));
  await query.execute();
}

const toColumns = ({ scenario_index, attempt, turn_index, question, against, adjudication }: VerdictKey) => ({
  scenario_index,
  attempt,
  turn_index,
  question: toJsonText(question),
  against,
  adjudication: adjudication ? 1 : 0,
});

function toRecord(row: Selectable<HumanVerdictTable>): VerdictRecord {
  const { run_id: _, ...columns } = row;
  return {
    ...columns,
    question: fromJsonText(row.question),
    rater: fromJsonText(row.rater),
    choice: fromJsonText(row.choice),
    comment: fromNullableJsonText(row.comment),
    adjudication: row.adjudication === 1,
    given_at: Number(row.given_at),
  };
}
