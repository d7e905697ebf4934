import type { NewFigures, RunRecord } from "../../contract/ports/store.ts";
import type { ScenarioTotals } from "../../contract/schemas/run-scenarios.ts";
import type { RunSummary } from "../../contract/schemas/run.ts";
import type { Reader, Writer } from "../tables/database.ts";
import { fromJsonText, toJsonText } from "../tables/text-columns.ts";

/** Stores the totals of a run's scenarios beside its summary. Without totals nothing is written, and earlier ones no longer count. */
export async function storeTotals(
  writer: Writer,
  runId: string,
  { summary, totals }: Pick<NewFigures, "summary" | "totals">,
): Promise<void> {
  if (!totals) return;
  const row = { rescored_at: rescoredAt(summary), totals: toJsonText(totals.map(toRow)) };
  await writer
    .insertInto("run_totals")
    .values({ run_id: runId, ...row })
    .onConflict((conflict) => conflict.column("run_id").doUpdateSet(row))
    .execute();
}

/** A rescoring that stored no totals, such as one by the version before, leaves those of an earlier summary. */
export async function totalsOfRun(
  reader: Reader,
  { id, summary }: Pick<RunRecord, "id" | "summary">,
): Promise<readonly ScenarioTotals[] | null> {
  if (!summary) return null;
  const row = await reader
    .selectFrom("run_totals")
    .where("run_id", "=", id)
    .where("rescored_at", "=", rescoredAt(summary))
    .select("totals")
    .executeTakeFirst();
  return row ? fromJsonText<TotalsRow[]>(row.totals).map(fromRow) : null;
}

/** A quarter of the text that objects would take. */
type TotalsRow = [ended: number, passed: number, failed: number, overall: number | null];

const toRow = ({ ended, passed, failed, overall }: ScenarioTotals): TotalsRow => [ended, passed, failed, overall];
const fromRow = ([ended, passed, failed, overall]: TotalsRow): ScenarioTotals => ({ ended, passed, failed, overall });

const rescoredAt = ({ rescored }: RunSummary): string => rescored?.at ?? "";
