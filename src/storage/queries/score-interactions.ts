import { sql } from "kysely";
import type { StoredScores } from "../../contract/schemas/interaction-result.ts";
import type { Lease, RescoredTurn, RescoreHold } from "../../contract/ports/store.ts";
import type { Writer } from "../database.ts";
import { toJsonText } from "../json-text.ts";
import { isHeldBy } from "./conditions.ts";
import { isStillHeld } from "./rescore-hold.ts";
import { holdRun } from "./run-sequence.ts";

/** Adds the scores to a reply that was stored without them, and gives it its number: from now on it is told of. */
export async function scoreInteraction(
  writer: Writer,
  lease: Lease,
  { turn_index, scores }: { turn_index: number; scores: StoredScores },
): Promise<boolean> {
  const attempt = await writer.selectFrom("attempt").where(isHeldBy(lease)).select("run_id").executeTakeFirst();
  if (!attempt) return false;
  await holdRun(writer, attempt.run_id);
  const rows = await writer
    .updateTable("interaction")
    .where("attempt_id", "=", lease.attempt_id)
    .where("turn_index", "=", turn_index)
    .where(({ exists, selectFrom }) => exists(selectFrom("attempt").select("id").where(isHeldBy(lease))))
    .set({
      scores: toJsonText(scores),
      seq: sql<number>`case when seq < 0 then ${lastNumber} else seq end`,
    })
    .returning("turn_index")
    .execute();
  return rows.length > 0;
}

const lastNumber = sql<number>`(select last from run_sequence where run_sequence.run_id = interaction.run_id)`;

/** Replies of a run that has ended which nobody will score any more are told of last. */
export async function numberUnscored(writer: Writer, runId: string): Promise<void> {
  await writer
    .updateTable("interaction")
    .where("run_id", "=", runId)
    .where("seq", "<", 0)
    .set({ seq: sql<number>`${lastNumber} - seq` })
    .execute();
}

/** New scores for turns of a run that has ended, by whoever scores it again. */
export async function rescoreInteractions(
  writer: Writer,
  hold: RescoreHold,
  turns: readonly RescoredTurn[],
): Promise<number> {
  if (!(await isStillHeld(writer, hold))) return 0;
  let replaced = 0;
  for (const { attempt_id, turn_index, scores } of turns) {
    const rows = await writer
      .updateTable("interaction")
      .where("attempt_id", "=", attempt_id)
      .where("turn_index", "=", turn_index)
      .where("run_id", "=", hold.run_id)
      .set({ scores: toJsonText(scores) })
      .returning("turn_index")
      .execute();
    replaced += rows.length;
  }
  return replaced;
}
