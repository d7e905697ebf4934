import { sql } from "kysely";
import type { JournalPart } from "../../../contract/ports/journal.ts";
import type { Lease } from "../../../contract/ports/store.ts";
import type { Writer } from "../../tables/database.ts";
import { statement } from "../../queries/statement.ts";
import { toJsonText } from "../../tables/text-columns.ts";
import { forceIndexScans, lockAttempts } from "./lock-attempts.ts";

export interface JournalWrite {
  readonly lease: Lease;
  readonly part: JournalPart;
}

const insertStatement = statement<never>(
  `insert into turn_journal (attempt_id, turn_index, number, run_id, entries)
    select attempt_id, turn_index, number, run_id, entries
    from json_to_recordset(?::json) as part (attempt_id text, turn_index int, number int, run_id text, entries text)
    on conflict (attempt_id, turn_index, number) do update set entries = excluded.entries`,
);

/**
 * Adds parts to the journals of any number of attempts in one transaction. The attempts are locked, so that none is taken over between
 * the check of its lease and the insert. One with a stale lease, or of a cancelled run, gets nothing.
 */
export async function appendToJournals(writer: Writer, writes: readonly JournalWrite[]): Promise<boolean[]> {
  await sql`select ${forceIndexScans}`.execute(writer);
  const ids = [...new Set(writes.map(({ lease }) => lease.attempt_id))];
  const attempts = new Map((await lockAttempts(writer, ids)).map((attempt) => [attempt.id, attempt]));
  const rows = writes.map(({ lease, part }) => {
    const attempt = attempts.get(lease.attempt_id);
    if (attempt?.fence !== lease.fence || attempt.state !== "running" || !attempt.active) return null;
    return { ...part, attempt_id: attempt.id, run_id: attempt.run_id, entries: toJsonText(part.entries) };
  });
  const accepted = rows.filter((row) => row !== null);
  if (accepted.length > 0) await insertStatement(writer, [JSON.stringify(accepted)]);
  return rows.map((row) => row !== null);
}
