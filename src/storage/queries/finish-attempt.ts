import type { AttemptEnd } from "../../contract/ports/queue.ts";
import type { Lease } from "../../contract/ports/store.ts";
import type { Writer } from "../database.ts";
import { toJsonText } from "../json-text.ts";
import { addDone } from "./progress.ts";
import { statement } from "./statement.ts";
import { attemptCounts, endIfRunStops, insertCounted, turnCounts } from "./store-interaction.ts";

const endAttempt = statement<{ run_id: string }>(
  `update attempt set state = 'done', average_scores = ?, lease_owner = null, lease_until = null
    where id = ? and fence = ? and state = 'running' returning run_id`,
);

const endWithTurn = statement<{ run_id: string }>(
  `update attempt set state = 'done', average_scores = ?, lease_owner = null, lease_until = null,
      interactions_done = interactions_done + ?, interactions_failed = interactions_failed + ?
    where id = ? and fence = ? and state = 'running'
      and exists (select 1 from run where run.id = attempt.run_id and run.state in ('queued', 'running'))
    returning run_id`,
);

const noTurn = { interactions_done: 0, interactions_failed: 0 } as const;

/** What is ready in a run that was cancelled will never be handed out. */
const openAttempt = statement<{ id: string }>(
  `select id from attempt where run_id = ? and state = 'running'
   union all
   select attempt.id from attempt join run on run.id = attempt.run_id
    where attempt.run_id = ? and attempt.state = 'ready' and run.state in ('queued', 'running')
   limit 1`,
);

/**
 * Ends an attempt, with its last turn if that is given, on a database with one writer. A lease whose run is being
 * cancelled may still be finished when all its turns were stored before; a turn is as little taken for such a run as it
 * would be by itself.
 */
export async function finishAttempt(
  writer: Writer,
  lease: Lease,
  { average_scores, turn, finished_at }: AttemptEnd & { readonly finished_at: number },
): Promise<{ finished: boolean; run_drained: boolean }> {
  const key = [lease.attempt_id, lease.fence];
  const scores = toJsonText(average_scores);
  const [ended] = turn
    ? await endWithTurn(writer, [scores, ...attemptCounts(turn), ...key])
    : await endAttempt(writer, [scores, ...key]);
  if (!ended) {
    if (turn) await endIfRunStops(writer, lease);
    return { finished: false, run_drained: false };
  }
  const { run_id } = ended;
  const stored = turn !== undefined && (await insertCounted(writer, lease, { ...turn, finished_at, run_id }));
  const counts = { attempts_done: 1, ...(stored ? turnCounts(turn) : noTurn) };
  const { surelyGoesOn } = await addDone(writer, run_id, counts);
  if (surelyGoesOn) return { finished: true, run_drained: false };
  const open = await openAttempt(writer, [run_id, run_id]);
  return { finished: true, run_drained: open.length === 0 };
}
