import type { Selectable } from "kysely";
import { finalStates } from "../../contract/schemas/run.ts";
import type { RunRecord } from "../../contract/ports/store.ts";
import type { Reader } from "../database.ts";
import { fromJsonText, fromNullableJsonText } from "../json-text.ts";
import type { RunCarriers } from "../run-carriers.ts";
import type { RunTable } from "../schema.ts";
import { countDone, type DoneCounts } from "./progress.ts";
import { activeRunStates } from "./states.ts";

type RunRow = Selectable<RunTable>;

/** Rows as records, with the progress of those that are under way, and whether anybody carries out those that are tied. */
export async function toRunRecords(
  reader: Reader,
  rows: readonly RunRow[],
  carriers: RunCarriers,
): Promise<RunRecord[]> {
  const underWay = rows.filter((row) => !finalStates.has(row.state)).map((row) => row.id);
  const counts = await countDone(reader, underWay);
  const tied = rows.filter(isTiedAndActive).map((row) => row.id);
  const carried = await carriers.carried(reader, tied);
  return rows.map((row) =>
    toRunRecord(row, {
      counts: finalStates.has(row.state) ? row : counts(row.id),
      interrupted: isTiedAndActive(row) && !carried.has(row.id),
    }),
  );
}

/** One that is being cancelled is brought to its end by any process. */
const isTiedAndActive = ({ tied, state }: RunRow): boolean =>
  tied === 1 && (activeRunStates as readonly string[]).includes(state);

interface ReadBeside {
  readonly counts: DoneCounts;
  readonly interrupted: boolean;
}

function toRunRecord(row: RunRow, { counts, interrupted }: ReadBeside): RunRecord {
  return {
    id: row.id,
    settings: fromJsonText(row.settings),
    warnings: fromJsonText(row.warnings),
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
