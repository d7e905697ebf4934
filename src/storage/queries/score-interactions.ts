import type { StoredScores } from "../../contract/interaction-result.ts";
import type { Lease, RescoredTurn } from "../../contract/store.ts";
import type { Writer } from "../database.ts";
import { toJsonText } from "../json-text.ts";
import { isHeldBy } from "./conditions.ts";
import { unfinishedRunStates } from "./states.ts";

/** Adds the scores to a reply that was stored without them. */
export async function scoreInteraction(
  writer: Writer,
  lease: Lease,
  { turn_index, scores }: { turn_index: number; scores: StoredScores },
): Promise<boolean> {
  const rows = await writer
    .updateTable("interaction")
    .where("attempt_id", "=", lease.attempt_id)
    .where("turn_index", "=", turn_index)
    .where(({ exists, selectFrom }) => exists(selectFrom("attempt").select("id").where(isHeldBy(lease))))
    .set({ scores: toJsonText(scores) })
    .returning("turn_index")
    .execute();
  return rows.length > 0;
}

/** New scores for turns of a run that has ended: nobody holds a lease on it, so none is asked for. */
export async function rescoreInteractions(
  writer: Writer,
  runId: string,
  turns: readonly RescoredTurn[],
): Promise<number> {
  let replaced = 0;
  for (const { attempt_id, turn_index, scores } of turns) {
    const rows = await writer
      .updateTable("interaction")
      .where("attempt_id", "=", attempt_id)
      .where("turn_index", "=", turn_index)
      .where("run_id", "=", runId)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom("run").select("run.id").where("run.id", "=", runId).where("state", "not in", unfinishedRunStates),
        ),
      )
      .set({ scores: toJsonText(scores) })
      .returning("turn_index")
      .execute();
    replaced += rows.length;
  }
  return replaced;
}
