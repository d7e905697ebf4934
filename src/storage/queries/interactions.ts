import type { StoredScores } from "../../contract/interaction-result.ts";
import type { Lease, NumberedInteraction, RescoredTurn, StoredInteraction } from "../../contract/store.ts";
import type { Reader, Writer } from "../database.ts";
import type { Dispatch } from "../dispatch.ts";
import { fromJsonText, fromNullableJsonText, toJsonText } from "../json-text.ts";
import { isHeldBy, runIsActive } from "./conditions.ts";
import { holdRunOf, type RunNumber } from "./run-sequence.ts";
import { statement } from "./statement.ts";
import { cancelled, unfinishedRunStates } from "./states.ts";

/** The turns of some attempts, by attempt and in turn order. */
export async function interactionsOfAttempts(
  reader: Reader,
  attemptIds: readonly string[],
): Promise<StoredInteraction[]> {
  const rows = await reader
    .selectFrom("interaction")
    .where("attempt_id", "in", attemptIds)
    .orderBy("attempt_id")
    .orderBy("turn_index")
    .select(["attempt_id", "turn_index", "reply", "scores"])
    .execute();
  return rows.map((row) => ({
    attempt_id: row.attempt_id,
    turn_index: row.turn_index,
    reply: fromJsonText(row.reply),
    scores: fromNullableJsonText(row.scores),
  }));
}

/** The turns of a run in the order they were stored, from the one after `seq`. */
export async function interactionsAfter(
  reader: Reader,
  { runId, seq, limit }: { runId: string; seq: number; limit: number },
): Promise<NumberedInteraction[]> {
  const rows = await reader
    .selectFrom("interaction")
    .innerJoin("attempt", "attempt.id", "interaction.attempt_id")
    .where("interaction.run_id", "=", runId)
    .where("interaction.seq", ">", seq)
    .orderBy("interaction.seq")
    .limit(Math.max(0, Math.floor(limit)))
    .select(["seq", "attempt_id", "scenario_index", "attempt", "turn_index", "reply", "scores"])
    .execute();
  return rows.map((row) => ({
    ...row,
    reply: fromJsonText(row.reply),
    scores: fromNullableJsonText(row.scores),
  }));
}

export interface NewInteraction extends Omit<StoredInteraction, "attempt_id"> {
  readonly finished_at: number;
}

/**
 * Stores a turn once, for whoever holds the attempt now, and counts it in the same transaction. Counting comes before
 * the insert because it checks the lease and locks the row in one step: nobody can take the attempt over in between.
 */
export async function storeInteraction(
  writer: Writer,
  lease: Lease,
  { dispatch, ...interaction }: NewInteraction & { readonly dispatch: Dispatch },
): Promise<boolean> {
  const number = await holdRunOf(writer, lease);
  if (!number) return false;
  if (!(await count(writer, { lease, turns: 1, failed: isFailed(interaction) }))) {
    await dispatch.withdraw(writer, await endIfRunStops(writer, lease));
    return false;
  }
  if (await insertInteraction(writer, lease, { ...interaction, ...number })) return true;
  await count(writer, { lease, turns: -1, failed: -isFailed(interaction) });
  return false;
}

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

const countTurns = statement<{ id: string }>(
  `update attempt set interactions_done = interactions_done + ?, interactions_failed = interactions_failed + ?
    where id = ? and fence = ? and state = 'running'
      and exists (select 1 from run where run.id = attempt.run_id and run.state in ('queued', 'running'))
    returning id`,
);

async function count(
  writer: Writer,
  { lease, turns, failed }: { lease: Lease; turns: number; failed: number },
): Promise<boolean> {
  const rows = await countTurns(writer, [turns, failed, lease.attempt_id, lease.fence]);
  return rows.length > 0;
}

const insertTurn = statement<{ turn_index: number }>(
  `insert into interaction (attempt_id, turn_index, run_id, seq, reply, scores, failed, finished_at)
    values (?, ?, ?, ?, ?, ?, ?, ?)
    on conflict (attempt_id, turn_index) do nothing returning turn_index`,
);

async function insertInteraction(
  writer: Writer,
  { attempt_id }: Lease,
  interaction: NewInteraction & RunNumber,
): Promise<boolean> {
  const rows = await insertTurn(writer, [
    attempt_id,
    interaction.turn_index,
    interaction.run_id,
    interaction.seq,
    toJsonText(interaction.reply),
    interaction.scores && toJsonText(interaction.scores),
    isFailed(interaction),
    interaction.finished_at,
  ]);
  return rows.length > 0;
}

/** A run that is being cancelled takes no more turns; the refused write is how this attempt comes to its end. */
async function endIfRunStops(writer: Writer, lease: Lease): Promise<string[]> {
  const rows = await writer
    .updateTable("attempt")
    .where(isHeldBy(lease))
    .where(({ not }) => not(runIsActive))
    .set({ state: cancelled, lease_owner: null, lease_until: null })
    .returning("id")
    .execute();
  return rows.map((row) => row.id);
}

function isFailed({ reply }: NewInteraction): number {
  return reply.error === null ? 0 : 1;
}
