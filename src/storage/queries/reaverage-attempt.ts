import type { Scores } from "../../contract/schemas/score.ts";
import type { RescoreHold } from "../../contract/ports/store.ts";
import type { Writer } from "../database.ts";
import { toJsonText } from "../json-text.ts";
import { isStillHeld } from "./rescore-hold.ts";

/** New averages for an attempt of a run that has ended, by whoever scores it again. */
export async function reaverageAttempt(
  writer: Writer,
  hold: RescoreHold,
  { attempt_id, average_scores }: { attempt_id: string; average_scores: Scores },
): Promise<boolean> {
  if (!(await isStillHeld(writer, hold))) return false;
  const rows = await writer
    .updateTable("attempt")
    .where("id", "=", attempt_id)
    .where("run_id", "=", hold.run_id)
    .set({ average_scores: toJsonText(average_scores) })
    .returning("id")
    .execute();
  return rows.length > 0;
}
