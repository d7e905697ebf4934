import { compact } from "../../base/compact.ts";
import { setImmediate } from "node:timers/promises";
import { PostgresAdapter, sql, type RawBuilder, type Selectable, type SqlBool } from "kysely";
import type { ScoredTurn, StoredInteraction, TurnPage } from "../../contract/ports/store.ts";
import type { StoredScores } from "../../contract/schemas/interaction-result.ts";
import type { Scores } from "../../contract/schemas/scores/score.ts";
import type { Readers, Reader } from "../tables/database.ts";
import type { InteractionTable } from "../tables/schema.ts";
import { fromJsonText, fromNullableJsonText } from "../tables/text-columns.ts";
import { bytesAtOnce, prefetch } from "./paging.ts";

/** A stored turn with its JSON not yet parsed. */
export type TurnTexts = Pick<Selectable<InteractionTable>, "attempt_id" | "turn_index" | "reply" | "scores">;

/** The turns of some attempts, ordered by attempt and turn. */
export async function interactionsOfAttempts(
  reader: Reader,
  attemptIds: readonly string[],
): Promise<StoredInteraction[]> {
  return (await selectTurnTexts(reader, attemptIds)).map(toStoredInteraction);
}

export function selectTurnTexts(reader: Reader, attemptIds: readonly string[]): Promise<TurnTexts[]> {
  return reader
    .selectFrom("interaction")
    .where(isOneOf(reader, attemptIds))
    .orderBy("attempt_id")
    .orderBy("turn_index")
    .select(["attempt_id", "turn_index", "reply", "scores"])
    .execute();
}

export function toStoredInteraction({ attempt_id, turn_index, reply, scores }: TurnTexts): StoredInteraction {
  return { attempt_id, turn_index, reply: fromJsonText(reply), scores: fromNullableJsonText(scores) };
}

/** The size of a turn, which the database knows without reading the text. */
export const turnBytes = sql<number>`octet_length(reply) + coalesce(octet_length(scores), 0)`;

/** The turns of a run after `seq`, in the order they were committed: fewer than `limit` when their texts are long. */
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

interface WantedTurns {
  readonly runId: string;
  /** Only turns without a usable reply. */
  readonly failed: boolean;
  /** Also the duration and the cost of each call. */
  readonly calls: boolean;
}

/** Only the scores of a run, in pages: all that a comparison reads. */
export async function* streamScoredTurns(
  database: Readers,
  wanted: WantedTurns,
): AsyncGenerator<readonly ScoredTurn[]> {
  for await (const page of prefetch(pagesOf(database, wanted))) {
    yield page.map(toScoredTurn);
    await setImmediate();
  }
}

/** One parameter for any number of ids: otherwise each number would need its own prepared statement. */
function isOneOf(reader: Reader, attemptIds: readonly string[]): RawBuilder<SqlBool> {
  if (reader.getExecutor().adapter instanceof PostgresAdapter) return sql`attempt_id = any(${attemptIds})`;
  return sql`attempt_id in (select value from json_each(${JSON.stringify(attemptIds)}))`;
}

/** The first page is read in the main thread, later ones in the reader's thread. */
const firstPage = 200;
const laterPage = 500;

type Figures = [
  scores: Scores,
  scoring_version: string,
  conversation: Scores | null,
  semantic: StoredScores["semantic"] | null,
  stated: StoredScores["stated"] | null,
];

interface TurnRow {
  readonly seq: number;
  readonly scenario_index: number;
  readonly attempt: number;
  readonly turn_index: number;
  readonly figures: string;
  readonly call?: string;
}

async function* pagesOf(
  { reader, longReader = reader }: Readers,
  wanted: WantedTurns,
): AsyncGenerator<readonly TurnRow[]> {
  let page = await turnsAfter(reader, { ...wanted, seq: 0, limit: firstPage });
  let limit = firstPage;
  while (page.length > 0) {
    yield page;
    if (page.length < limit) return;
    limit = laterPage;
    page = await turnsAfter(longReader, { ...wanted, seq: page.at(-1)!.seq, limit });
  }
}

function turnsAfter(
  reader: Reader,
  { runId, failed, calls, seq, limit }: WantedTurns & { seq: number; limit: number },
): Promise<TurnRow[]> {
  return reader
    .selectFrom("interaction")
    .innerJoin("attempt", "attempt.id", "interaction.attempt_id")
    .where("interaction.run_id", "=", runId)
    .where("interaction.seq", ">", seq)
    .where("interaction.scores", "is not", null)
    .$if(failed, (query) => query.where("interaction.failed", "=", 1))
    .orderBy("interaction.seq")
    .limit(limit)
    .select(["seq", "scenario_index", "attempt.attempt", "turn_index", turnFigures(reader).as("figures")])
    .$if(calls, (query) => query.select(storedCallOf(reader).as("call")))
    .execute();
}

/**
 * SQLite extracts the few numbers from the stored JSON, which is mostly reasons and labels. PostgreSQL cannot when a
 * name contains NUL or a lone surrogate, so it returns the JSON unchanged.
 */
function turnFigures(reader: Reader): RawBuilder<string> {
  if (reader.getExecutor().adapter instanceof PostgresAdapter) return sql`interaction.scores`;
  return sql`json_extract(
    interaction.scores, '$.scores', '$.scoring_version', '$.conversation.scores', '$.semantic', '$.stated')`;
}

/** Duration and cost from the stored reply, extracted like the scores. */
function storedCallOf(reader: Reader): RawBuilder<string> {
  if (reader.getExecutor().adapter instanceof PostgresAdapter) return sql`interaction.reply`;
  return sql`json_extract(interaction.reply, '$.latency_ms', '$.cost')`;
}

function toStoredCall(text: string): NonNullable<ScoredTurn["call"]> {
  const read = fromJsonText<[number, number | null] | StoredInteraction["reply"]>(text);
  const [latency_ms, cost] = Array.isArray(read) ? read : [read.latency_ms, read.cost ?? null];
  return { latency_ms, cost };
}

function toScoredTurn({ scenario_index, attempt, turn_index, figures, call }: TurnRow): ScoredTurn {
  const read = fromJsonText<Figures | StoredScores>(figures);
  const [scores, scoring_version, conversation, semantic, stated] = Array.isArray(read) ? read : listColumn(read);
  const scored = compact({
    scenario_index,
    attempt,
    turn_index,
    scores,
    stated: stated ?? undefined,
    scoring_version,
    conversation: conversation && { scores: conversation },
    embedder: semantic?.embedder ?? null,
    baseline: semantic?.baseline ?? null,
  });
  return call === undefined ? scored : { ...scored, call: toStoredCall(call) };
}

function listColumn({ scores, scoring_version, conversation, semantic, stated }: StoredScores): Figures {
  return [scores, scoring_version, conversation?.scores ?? null, semantic ?? null, stated ?? null];
}
