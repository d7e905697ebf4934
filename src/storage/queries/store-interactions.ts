import { sql } from "kysely";
import type { AttemptEnd } from "../../contract/ports/queue.ts";
import type { Lease, NewTurn, RescoredTurn, RescoreHold } from "../../contract/ports/store.ts";
import type { StoredReply, StoredScores } from "../../contract/schemas/interaction-result.ts";
import type { Writer } from "../tables/database.ts";
import { toJsonText } from "../tables/text-columns.ts";
import { cancelled, isHeldBy, runIsActive } from "./conditions.ts";
import { addProgress, type ProgressCounts } from "./progress.ts";
import { lockRun, ownsRescoring } from "./run-holds.ts";
import { statement } from "./statement.ts";

/** A turn to store, with the time it ended. */
interface NewInteraction extends NewTurn {
  readonly finished_at: number;
}

/**
 * Stores and counts a turn once, for the current holder of the attempt. Requires a single writer: the attempt cannot be
 * taken over, nor the run cancelled, between the count, which checks the lease, and the insert.
 */
export async function storeInteraction(writer: Writer, lease: Lease, interaction: NewInteraction): Promise<boolean> {
  const [counted] = await countTurn(writer, [...attemptCounts(interaction), lease.attempt_id, lease.fence]);
  if (!counted) {
    await cancelIfRunInactive(writer, lease);
    return false;
  }
  const stored = await insertCounted(writer, lease, { ...interaction, run_id: counted.run_id });
  if (stored) await addProgress(writer, counted.run_id, { attempts_done: 0, ...turnCounts(interaction) });
  return stored;
}

/**
 * Ends an attempt, with its last turn if given. Requires a single writer. An attempt of a run being cancelled can still
 * end when all its turns were stored before; a turn is refused for such a run.
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
    if (turn) await cancelIfRunInactive(writer, lease);
    return { finished: false, run_drained: false };
  }
  const { run_id } = ended;
  const stored = turn !== undefined && (await insertCounted(writer, lease, { ...turn, finished_at, run_id }));
  const counts = { attempts_done: 1, ...(stored ? turnCounts(turn) : noTurn) };
  const { surelyGoesOn } = await addProgress(writer, run_id, counts);
  if (surelyGoesOn) return { finished: true, run_drained: false };
  const open = await openAttempt(writer, [run_id, run_id]);
  return { finished: true, run_drained: open.length === 0 };
}

/** Adds the scores to a reply that was stored without them, and gives it its number: from now on it is listed. */
export async function storeScores(
  writer: Writer,
  lease: Lease,
  { turn_index, scores, reply }: { turn_index: number; scores: StoredScores; reply?: StoredReply | undefined },
): Promise<boolean> {
  const attempt = await writer.selectFrom("attempt").where(isHeldBy(lease)).select("run_id").executeTakeFirst();
  if (!attempt) return false;
  await lockRun(writer, attempt.run_id);
  const rows = await writer
    .updateTable("interaction")
    .where("attempt_id", "=", lease.attempt_id)
    .where("turn_index", "=", turn_index)
    .where(({ exists, selectFrom }) => exists(selectFrom("attempt").select("id").where(isHeldBy(lease))))
    .set({
      scores: toJsonText(scores),
      ...(reply && { reply: toJsonText(reply) }),
      seq: sql<number>`case when seq < 0 then ${lastNumber} else seq end`,
    })
    .returning("turn_index")
    .execute();
  return rows.length > 0;
}

/** Replaces the scores of turns of an ended run that is being rescored. */
export async function rescoreInteractions(
  writer: Writer,
  hold: RescoreHold,
  turns: readonly RescoredTurn[],
): Promise<number> {
  if (!(await ownsRescoring(writer, hold))) return 0;
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

/** Lists the replies of an ended run that were never scored, after all others. */
export async function numberUnscored(writer: Writer, runId: string): Promise<void> {
  await writer
    .updateTable("interaction")
    .where("run_id", "=", runId)
    .where("seq", "<", 0)
    .set({ seq: sql<number>`${lastNumber} - seq` })
    .execute();
}

/** The turns, and failed turns, that a turn adds to the counts of its attempt. */
export function attemptCounts(turn: NewTurn): readonly [turns: number, failed: number] {
  return (turn.pass ?? "first") === "first" ? [1, failures(turn)] : [0, 0];
}

/** The counts that a turn adds to its run. */
export function turnCounts(turn: NewTurn): Omit<ProgressCounts, "attempts_done"> {
  if (turn.pass === "replay") return { interactions_done: 0, interactions_failed: 0 };
  return { interactions_done: 1, interactions_failed: failures(turn) };
}

const countTurn = statement<{ run_id: string }>(
  `update attempt set interactions_done = interactions_done + ?, interactions_failed = interactions_failed + ?
    where id = ? and fence = ? and state = 'running'
      and exists (select 1 from run where run.id = attempt.run_id and run.state in ('queued', 'running'))
    returning run_id`,
);

const uncountTurn = statement<never>(
  `update attempt set interactions_done = interactions_done - ?, interactions_failed = interactions_failed - ?
    where id = ?`,
);

const insertTurn = statement<{ turn_index: number }>(
  `insert into interaction (attempt_id, turn_index, run_id, seq, reply, scores, failed, finished_at)
    values (?, ?, ?, ? * (select last + 1 from run_sequence where run_id = ?), ?, ?, ?, ?)
    on conflict (attempt_id, turn_index) do nothing returning turn_index`,
);

/**
 * Inserts a counted turn under the number that `addProgress` takes next, negative until it is scored, so that it is not
 * listed yet. False when the turn exists: it is then not counted twice.
 */
async function insertCounted(
  writer: Writer,
  { attempt_id }: Lease,
  interaction: NewInteraction & { readonly run_id: string },
): Promise<boolean> {
  const rows = await insertTurn(writer, [
    attempt_id,
    interaction.turn_index,
    interaction.run_id,
    interaction.scores ? 1 : -1,
    interaction.run_id,
    toJsonText(interaction.reply),
    interaction.scores && toJsonText(interaction.scores),
    failures(interaction),
    interaction.finished_at,
  ]);
  if (rows.length > 0) return true;
  await uncountTurn(writer, [...attemptCounts(interaction), attempt_id]);
  return false;
}

/** A run being cancelled takes no more turns; the refused write ends the attempt. */
export async function cancelIfRunInactive(writer: Writer, lease: Lease): Promise<void> {
  await writer
    .updateTable("attempt")
    .where(isHeldBy(lease))
    .where(({ not }) => not(runIsActive))
    .set({ state: cancelled, lease_owner: null, lease_until: null })
    .execute();
}

/** 1 when the turn has no usable reply. */
function failures({ reply }: NewTurn): number {
  return reply.error === null ? 0 : 1;
}

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

/** Ready attempts of a cancelled run are never claimed. */
const openAttempt = statement<{ id: string }>(
  `select id from attempt where run_id = ? and state = 'running'
   union all
   select attempt.id from attempt join run on run.id = attempt.run_id
    where attempt.run_id = ? and attempt.state = 'ready' and run.state in ('queued', 'running')
   limit 1`,
);

const lastNumber = sql<number>`(select last from run_sequence where run_sequence.run_id = interaction.run_id)`;
