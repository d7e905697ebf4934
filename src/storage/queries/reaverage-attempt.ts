import type { Scores } from "../../contract/score.ts";
import type { Writer } from "../database.ts";
import { toJsonText } from "../json-text.ts";
import { unfinishedRunStates } from "./states.ts";

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
