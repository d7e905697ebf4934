import type { Selectable } from "kysely";
import { finalStates } from "../../contract/run-state.ts";
import type { RunRecord } from "../../contract/store.ts";
import type { Reader, Writer } from "../database.ts";
import { fromJsonText, fromNullableJsonText } from "../json-text.ts";
import type { RunTable } from "../schema.ts";
import { countDone, type DoneCounts } from "./progress.ts";

type RunRow = Selectable<RunTable>;

/** Rows as records, with the progress of those that are under way. */
export async function toRunRecords(database: Reader | Writer, rows: readonly RunRow[]): Promise<RunRecord[]> {
  const underWay = rows.filter((row) => !finalStates.has(row.state)).map((row) => row.id);
  const counts = await countDone(database, underWay);
  return rows.map((row) => toRunRecord(row, finalStates.has(row.state) ? row : counts(row.id)));
}

function toRunRecord(row: RunRow, counts: DoneCounts): RunRecord {
  return {
    id: row.id,
    settings: fromJsonText(row.settings),
    warnings: fromJsonText(row.warnings),
    demo: row.demo === 1,
    owner: row.owner,
    priority: row.priority,
    tied: row.tied === 1,
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
