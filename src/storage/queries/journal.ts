import { sql } from "kysely";
import type { JournalEntry, JournalPart } from "../../contract/ports/journal.ts";
import type { Lease } from "../../contract/ports/store.ts";
import type { Reader, Writer } from "../tables/database.ts";
import { fromJsonText, toJsonText } from "../tables/text-columns.ts";
import { statement } from "./statement.ts";
import { cancelIfRunInactive } from "./store-interactions.ts";

export async function journalOfAttempt(reader: Reader, attemptId: string): Promise<JournalPart[]> {
  const rows = await reader
    .selectFrom("turn_journal")
    .where("attempt_id", "=", attemptId)
    .orderBy("turn_index")
    .orderBy("number")
    .select(["turn_index", "number", "entries"])
    .execute();
  return rows.map((row) => ({ ...row, entries: fromJsonText<JournalEntry[]>(row.entries) }));
}

/** The holder of the attempt may write a part again when it does not know whether the first write was committed. */
const appendStatement = statement<{ number: number }>(
  `insert into turn_journal (attempt_id, turn_index, number, run_id, entries)
    select id, ?, ?, run_id, ? from attempt
    where id = ? and fence = ? and state = 'running'
      and exists (select 1 from run where run.id = attempt.run_id and run.state in ('queued', 'running'))
    on conflict (attempt_id, turn_index, number) do update set entries = excluded.entries
    returning number`,
);

/** Adds a part for the current holder of the attempt. Requires a single writer. */
export async function appendToJournal(
  writer: Writer,
  lease: Lease,
  { turn_index, number, entries }: JournalPart,
): Promise<boolean> {
  const rows = await appendStatement(writer, [turn_index, number, toJsonText(entries), lease.attempt_id, lease.fence]);
  if (rows.length === 0) await cancelIfRunInactive(writer, lease);
  return rows.length > 0;
}

/** Deletes parts of a run's journals. Returns their number, weighted by size: more than `limit` when some are left. */
export async function deleteJournal(
  writer: Writer,
  { runId, limit, pageBytes }: { runId: string; limit: number; pageBytes: number },
): Promise<number> {
  const parts = await writer
    .selectFrom("turn_journal")
    .where("run_id", "=", runId)
    .orderBy("attempt_id")
    .orderBy("turn_index")
    .orderBy("number")
    .limit(limit + 1)
    .select(["attempt_id", "turn_index", "number", sql<number>`octet_length(entries)`.as("bytes")])
    .execute();
  let rows = 0;
  const last = parts.find(({ bytes }) => (rows += 1 + Math.floor(bytes / pageBytes)) > limit) ?? parts.at(-1);
  if (last) {
    await writer
      .deleteFrom("turn_journal")
      .where("run_id", "=", runId)
      .where(sql<boolean>`(attempt_id, turn_index, number) <= (${last.attempt_id}, ${last.turn_index}, ${last.number})`)
      .execute();
  }
  return rows;
}
