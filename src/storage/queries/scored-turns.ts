import { setImmediate } from "node:timers/promises";
import { PostgresAdapter, sql, type RawBuilder } from "kysely";
import type { StoredScores } from "../../contract/schemas/interaction-result.ts";
import type { ScoredTurn } from "../../contract/ports/store.ts";
import type { Scores } from "../../contract/schemas/score.ts";
import type { LongReads, Reader } from "../database.ts";
import { fromJsonText } from "../json-text.ts";
import { readAhead } from "./read-ahead.ts";

/** Turns of the first page, which comes from the main thread, and of every later one. */
const firstPage = 200;
const pageSize = 500;

type Figures = [
  scores: Scores,
  scoring_version: string,
  conversation: Scores | null,
  embedder: string | null,
  baseline: number | null,
];

/** The scores of a run and nothing else of its turns, page by page: what a comparison reads. */
export async function* streamScoredTurns(
  database: LongReads,
  wanted: WantedTurns,
): AsyncGenerator<readonly ScoredTurn[]> {
  for await (const page of readAhead(pagesOf(database, wanted))) {
    yield page.map(toScoredTurn);
    await setImmediate();
  }
}

interface WantedTurns {
  readonly runId: string;
  /** Only those that got no reply. */
  readonly failed: boolean;
}

interface TurnRow {
  readonly seq: number;
  readonly scenario_index: number;
  readonly attempt: number;
  readonly turn_index: number;
  readonly figures: string;
}

async function* pagesOf(
  { reader, longReader = reader }: LongReads,
  wanted: WantedTurns,
): AsyncGenerator<readonly TurnRow[]> {
  let page = await turnsAfter(reader, { ...wanted, seq: 0, limit: firstPage });
  let limit = firstPage;
  while (page.length > 0) {
    yield page;
    if (page.length < limit) return;
    limit = pageSize;
    page = await turnsAfter(longReader, { ...wanted, seq: page.at(-1)!.seq, limit });
  }
}

function turnsAfter(
  reader: Reader,
  { runId, failed, seq, limit }: WantedTurns & { seq: number; limit: number },
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
    .select(["seq", "scenario_index", "attempt.attempt", "turn_index", figuresOf(reader).as("figures")])
    .execute();
}

/**
 * The few figures as a list, taken out of the stored JSON inside SQLite: reasons and labels are most of it. PostgreSQL cannot do
 * that where a name holds a NUL or a lone surrogate, so it gives the JSON as it is.
 */
function figuresOf(reader: Reader): RawBuilder<string> {
  if (reader.getExecutor().adapter instanceof PostgresAdapter) return sql`interaction.scores`;
  return sql`json_extract(
    interaction.scores, '$.scores', '$.scoring_version', '$.conversation.scores', '$.semantic.embedder', '$.semantic.baseline')`;
}

function toScoredTurn({ scenario_index, attempt, turn_index, figures }: TurnRow): ScoredTurn {
  const read = fromJsonText<Figures | StoredScores>(figures);
  const [scores, scoring_version, conversation, embedder, baseline] = Array.isArray(read) ? read : listOf(read);
  const whole = conversation && { scores: conversation };
  return { scenario_index, attempt, turn_index, scores, scoring_version, conversation: whole, embedder, baseline };
}

function listOf({ scores, scoring_version, conversation, semantic }: StoredScores): Figures {
  return [
    scores,
    scoring_version,
    conversation?.scores ?? null,
    semantic?.embedder ?? null,
    semantic?.baseline ?? null,
  ];
}
