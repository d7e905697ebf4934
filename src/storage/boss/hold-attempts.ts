import { sql } from "kysely";
import type { AttemptState } from "../../contract/ports/store.ts";
import type { Writer } from "../database.ts";
import { statement } from "../queries/statement.ts";
import { keepToIndexes } from "./planner.ts";

/** An attempt as it is, locked until the transaction ends, and what is to become of it. */
export interface HeldAttempt {
  readonly id: string;
  readonly run_id: string;
  readonly fence: number;
  /** Its run may be worked on. */
  readonly active: boolean;
  state: AttemptState;
  average_scores: string | null;
  /** Null: as it is. */
  available_at: number | null;
  /** Turns to be counted for it. */
  turns: number;
  failed: number;
  /** Turns to be counted for its run. */
  run_turns: number;
  run_failed: number;
  /** Breaks to be counted. */
  breaks: number;
  /** The next number in the order of the run's turns. */
  nextNumber(): number;
}

const numbersOfRuns = statement<{ run_id: string; last: number; taken: number }>(
  `with held as (
      select run_sequence.run_id, wanted.taken
      from (
        select attempt.run_id, count(*) as taken
        from unnest(?::text[]) as item (attempt_id) join attempt on attempt.id = item.attempt_id
        group by attempt.run_id
      ) as wanted
      join run_sequence on run_sequence.run_id = wanted.run_id
      order by run_sequence.run_id
      for update of run_sequence
    )
    update run_sequence set last = last + held.taken from held where run_sequence.run_id = held.run_id
    returning run_sequence.run_id, last, held.taken`,
);

type LockedRow = Pick<HeldAttempt, "id" | "run_id" | "fence" | "state" | "active">;

const lockStatement = statement<LockedRow>(
  `select attempt.id, attempt.run_id, attempt.fence, attempt.state, run.state in ('queued', 'running') as active
    from attempt join run on run.id = attempt.run_id
    where attempt.id = any(?::text[]) order by attempt.id for update of attempt`,
);

/**
 * Holds the runs of these attempts, then the attempts, each in the order of their ids: so no two transactions wait for
 * each other. Whoever holds a run gives out its numbers, which are therefore committed in their order, and what is read
 * after that is what the holder before has left. One number is taken for each time an attempt is named; gaps do no harm.
 */
export async function holdAttempts(writer: Writer, ids: readonly string[]): Promise<ReadonlyMap<string, HeldAttempt>> {
  await sql`select ${keepToIndexes}`.execute(writer);
  const numbers = new Map<string, number>();
  for (const { run_id, last, taken } of await numbersOfRuns(writer, [ids])) numbers.set(run_id, last - taken);
  const rows = await lockAttempts(writer, [...new Set(ids)]);
  return new Map(rows.map((row) => [row.id, toHeld(row, numbers)]));
}

/** Locks attempts in the order of their ids and reads them as they are then. */
export function lockAttempts(writer: Writer, ids: readonly string[]): Promise<readonly LockedRow[]> {
  return lockStatement(writer, [ids]);
}

function toHeld(row: LockedRow, numbers: Map<string, number>): HeldAttempt {
  return {
    ...row,
    average_scores: null,
    available_at: null,
    turns: 0,
    failed: 0,
    run_turns: 0,
    run_failed: 0,
    breaks: 0,
    nextNumber() {
      const number = (numbers.get(row.run_id) ?? 0) + 1;
      numbers.set(row.run_id, number);
      return number;
    },
  };
}
