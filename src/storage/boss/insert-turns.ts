import type { Writer } from "../database.ts";
import { statement } from "../queries/statement.ts";

/** A row of `interaction`. Its number is unique within the run. */
export interface NumberedTurn {
  readonly attempt_id: string;
  readonly turn_index: number;
  readonly run_id: string;
  readonly seq: number;
  readonly reply: string;
  readonly scores: string | null;
  readonly failed: number;
  readonly finished_at: number;
}

const insertStatement = statement<{ run_id: string; seq: number }>(
  `insert into interaction (attempt_id, turn_index, run_id, seq, reply, scores, failed, finished_at)
    select attempt_id, turn_index, run_id, seq, reply, scores, failed, finished_at
    from json_to_recordset(?::json) as turn (attempt_id text, turn_index int, run_id text, seq bigint, reply text,
      scores text, failed int, finished_at bigint)
    on conflict (attempt_id, turn_index) do nothing returning run_id, seq`,
);

/** Stores turns and gives those that were not there yet. */
export async function insertTurns(writer: Writer, turns: readonly NumberedTurn[]): Promise<ReadonlySet<NumberedTurn>> {
  const byNumber = new Map(turns.map((turn) => [numberOf(turn), turn]));
  const inserted = new Set<NumberedTurn>();
  for (const part of parts(turns)) {
    for (const row of await insertStatement(writer, [JSON.stringify(part)])) inserted.add(byNumber.get(numberOf(row))!);
  }
  return inserted;
}

function numberOf({ run_id, seq }: Pick<NumberedTurn, "run_id" | "seq">): string {
  return `${run_id} ${seq}`;
}

/** Long replies are sent a few at a time: they are all held in memory until the server has them. */
const charactersAtOnce = 4_000_000;

function* parts(turns: readonly NumberedTurn[]): Generator<readonly NumberedTurn[]> {
  let part: NumberedTurn[] = [];
  let characters = 0;
  for (const turn of turns) {
    part.push(turn);
    characters += turn.reply.length + (turn.scores?.length ?? 0);
    if (characters < charactersAtOnce) continue;
    yield part;
    part = [];
    characters = 0;
  }
  if (part.length > 0) yield part;
}
