import type { Scores } from "../../contract/score.ts";
import type { Lease } from "../../contract/store.ts";
import type { Writer } from "../database.ts";
import { toJsonText } from "../json-text.ts";
import { holdRunOf } from "./run-sequence.ts";
import { statement } from "./statement.ts";

const endAttempt = statement<{ run_id: string }>(
  `update attempt set state = 'done', average_scores = ?, lease_owner = null, lease_until = null
    where id = ? and fence = ? and state = 'running' returning run_id`,
);

/** What is ready in a run that was cancelled will never be handed out. */
const openAttempt = statement<{ id: string }>(
  `select id from attempt where run_id = ? and state = 'running'
   union all
   select attempt.id from attempt join run on run.id = attempt.run_id
    where attempt.run_id = ? and attempt.state = 'ready' and run.state in ('queued', 'running')
   limit 1`,
);

/** A lease whose run is being cancelled may still be finished: all its turns were stored before. */
export async function finishAttempt(
  writer: Writer,
  lease: Lease,
  { average_scores }: { average_scores: Scores },
): Promise<{ finished: boolean; run_drained: boolean }> {
  await holdRunOf(writer, lease);
  const [ended] = await endAttempt(writer, [toJsonText(average_scores), lease.attempt_id, lease.fence]);
  if (!ended) return { finished: false, run_drained: false };
  const open = await openAttempt(writer, [ended.run_id, ended.run_id]);
  return { finished: true, run_drained: open.length === 0 };
}
