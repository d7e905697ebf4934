import type { Scores } from "../../contract/score.ts";
import type { Lease } from "../../contract/store.ts";
import type { Writer } from "../database.ts";
import { toJsonText } from "../json-text.ts";
import { isHeldBy, runIsActive } from "./conditions.ts";
import { holdRunOf } from "./run-sequence.ts";
import { done, ready, running } from "./states.ts";

/** A lease whose run is being cancelled may still be finished: all its turns were stored before. */
export async function finishAttempt(
  writer: Writer,
  lease: Lease,
  { average_scores }: { average_scores: Scores },
): Promise<{ finished: boolean; run_drained: boolean }> {
  await holdRunOf(writer, lease);
  const row = await writer
    .updateTable("attempt")
    .where(isHeldBy(lease))
    .set({ state: done, average_scores: toJsonText(average_scores), lease_owner: null, lease_until: null })
    .returning("run_id")
    .executeTakeFirst();
  if (!row) return { finished: false, run_drained: false };
  return { finished: true, run_drained: await isDrained(writer, row.run_id) };
}

async function isDrained(writer: Writer, runId: string): Promise<boolean> {
  for (const state of [ready, running]) {
    const open = await writer
      .selectFrom("attempt")
      .where("run_id", "=", runId)
      .where("state", "=", state)
      // What is ready in a run that was cancelled will never be handed out.
      .$if(state === ready, (query) => query.where(runIsActive))
      .select("id")
      .limit(1)
      .executeTakeFirst();
    if (open) return false;
  }
  return true;
}
