import { PostgresAdapter, sql, type RawBuilder, type Selectable, type SqlBool } from "kysely";
import type { NumberedInteraction, StoredInteraction } from "../../contract/store.ts";
import type { Reader } from "../database.ts";
import { fromJsonText, fromNullableJsonText } from "../json-text.ts";
import type { InteractionTable } from "../schema.ts";

/** A turn as it is stored, its texts not yet read. */
export type InteractionRow = Pick<Selectable<InteractionTable>, "attempt_id" | "turn_index" | "reply" | "scores">;

/** The turns of some attempts, by attempt and in turn order. */
export async function interactionsOfAttempts(
  reader: Reader,
  attemptIds: readonly string[],
): Promise<StoredInteraction[]> {
  return (await interactionRows(reader, attemptIds)).map(toStoredInteraction);
}

export function interactionRows(reader: Reader, attemptIds: readonly string[]): Promise<InteractionRow[]> {
  return reader
    .selectFrom("interaction")
    .where(isOneOf(reader, attemptIds))
    .orderBy("attempt_id")
    .orderBy("turn_index")
    .select(["attempt_id", "turn_index", "reply", "scores"])
    .execute();
}

/** One value however many ids there are: a list of its own for each number of them would be a statement of its own. */
function isOneOf(reader: Reader, attemptIds: readonly string[]): RawBuilder<SqlBool> {
  if (reader.getExecutor().adapter instanceof PostgresAdapter) return sql`attempt_id = any(${attemptIds})`;
  return sql`attempt_id in (select value from json_each(${JSON.stringify(attemptIds)}))`;
}

export function toStoredInteraction({ attempt_id, turn_index, reply, scores }: InteractionRow): StoredInteraction {
  return { attempt_id, turn_index, reply: fromJsonText(reply), scores: fromNullableJsonText(scores) };
}

/** The turns of a run in the order they are told of, from the one after `seq`. */
export async function interactionsAfter(
  reader: Reader,
  { runId, seq, limit }: { runId: string; seq: number; limit: number },
): Promise<NumberedInteraction[]> {
  const rows = await reader
    .selectFrom("interaction")
    .innerJoin("attempt", "attempt.id", "interaction.attempt_id")
    .where("interaction.run_id", "=", runId)
    .where("interaction.seq", ">", Math.max(seq, Number.MIN_SAFE_INTEGER))
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
