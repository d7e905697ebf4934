import type { RescoreHold } from "../../contract/ports/store.ts";
import type { Writer } from "../database.ts";
import { holdRun } from "./run-sequence.ts";

/** Whether a run may be written by whoever scores it again: nobody has taken it over, nor will until the transaction ends. */
export async function isStillHeld(writer: Writer, { run_id, token }: RescoreHold): Promise<boolean> {
  await holdRun(writer, run_id);
  const rows = await writer
    .selectFrom("run_rescoring")
    .where("run_id", "=", run_id)
    .where("token", "=", token)
    .select("run_id")
    .execute();
  return rows.length > 0;
}
