import { PostgresAdapter, sql, type RawBuilder, type Selectable, type SqlBool } from "kysely";
import type { StoredScores } from "../../contract/schemas/interaction-result.ts";
import type { StoredInteraction, TurnPage } from "../../contract/ports/store.ts";
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

/** Stored text of a turn. The database tells it without reading the text. */
export const turnBytes = sql<number>`octet_length(reply) + coalesce(octet_length(scores), 0)`;

/** Text of turns that is read together, and the turn with which it becomes more. */
const bytesAtOnce = 4 * 1024 * 1024;

/** The turns of a run in the order they are told of, from the one after `seq`: fewer than `limit` where their texts are long. */
export async function interactionsAfter(
  reader: Reader,
  { runId, seq, limit }: { runId: string; seq: number; limit: number },
): Promise<TurnPage> {
  const rows = await reader
    .with("sized", (from) =>
      from
        .selectFrom("interaction")
        .where("run_id", "=", runId)
        .where("seq", ">", Math.max(seq, Number.MIN_SAFE_INTEGER))
        .orderBy("seq")
        .limit(Math.max(0, Math.floor(limit)))
        .select(["seq", turnBytes.as("bytes")]),
    )
    .with("summed", (from) =>
      from.selectFrom("sized").select(["seq", sql<number>`sum(bytes) over (order by seq) - bytes`.as("before")]),
    )
    .selectFrom("interaction")
    .innerJoin("attempt", "attempt.id", "interaction.attempt_id")
    .where("interaction.run_id", "=", runId)
    .where("interaction.seq", "in", (from) => from.selectFrom("summed").select("seq").where("before", "<", bytesAtOnce))
    .orderBy("interaction.seq")
    .select(["seq", "attempt_id", "scenario_index", "attempt", "turn_index", "reply", "scores"])
    .select((from) => from.selectFrom("sized").select(from.fn.countAll<number | string>().as("count")).as("found"))
    .execute();
  const found = Number(rows[0]?.found ?? 0);
  const turns = rows.map(({ seq: number, attempt_id, scenario_index, attempt, turn_index, reply, scores }) => ({
    seq: number,
    attempt_id,
    scenario_index,
    attempt,
    turn_index,
    reply: fromJsonText<StoredInteraction["reply"]>(reply),
    scores: fromNullableJsonText<StoredScores>(scores),
  }));
  return { turns, more: rows.length > 0 && (found >= limit || rows.length < found) };
}
