import type { Lease, NewTurn } from "../../contract/ports/store.ts";
import type { Writer } from "../database.ts";
import { toJsonText } from "../json-text.ts";
import { isHeldBy, runIsActive } from "./conditions.ts";
import { addDone, type DoneCounts } from "./progress.ts";
import { statement } from "./statement.ts";
import { cancelled } from "./states.ts";

/** A turn to be stored, and when it was over. */
interface NewInteraction extends NewTurn {
  readonly finished_at: number;
}

/**
 * Stores a turn once, for whoever holds the attempt now, and counts it in the same transaction. For a database with one
 * writer: nobody can take the attempt over, or cancel the run, between the count, which checks the lease, and the insert.
 */
export async function storeInteraction(writer: Writer, lease: Lease, interaction: NewInteraction): Promise<boolean> {
  const [counted] = await countTurn(writer, [...attemptCounts(interaction), lease.attempt_id, lease.fence]);
  if (!counted) {
    await endIfRunStops(writer, lease);
    return false;
  }
  const stored = await insertCounted(writer, lease, { ...interaction, run_id: counted.run_id });
  if (stored) await addDone(writer, counted.run_id, { attempts_done: 0, ...turnCounts(interaction) });
  return stored;
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
 * Inserts a turn that has been counted, under the number that `addDone` takes then: below zero while its scores are to come,
 * so that nobody is told of it before. One that is there already is not counted twice; false then.
 */
export async function insertCounted(
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

/** A run that is being cancelled takes no more turns; the refused write is how this attempt comes to its end. */
export async function endIfRunStops(writer: Writer, lease: Lease): Promise<void> {
  await writer
    .updateTable("attempt")
    .where(isHeldBy(lease))
    .where(({ not }) => not(runIsActive))
    .set({ state: cancelled, lease_owner: null, lease_until: null })
    .execute();
}

/** What a turn adds to the counts of its attempt: turns, and failed ones. */
export function attemptCounts(turn: NewTurn): readonly [turns: number, failed: number] {
  return (turn.pass ?? "first") === "first" ? [1, failures(turn)] : [0, 0];
}

/** What a turn adds to the counts of its run. */
export function turnCounts(turn: NewTurn): Omit<DoneCounts, "attempts_done"> {
  if (turn.pass === "replay") return { interactions_done: 0, interactions_failed: 0 };
  return { interactions_done: 1, interactions_failed: failures(turn) };
}

/** 1 when the turn has no usable reply. */
function failures({ reply }: NewTurn): number {
  return reply.error === null ? 0 : 1;
}
