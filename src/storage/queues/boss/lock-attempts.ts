import { sql } from "kysely";
import type { AttemptState } from "../../../contract/ports/store.ts";
import type { Writer } from "../../tables/database.ts";
import { statement } from "../../queries/statement.ts";

/**
 * Columns of a first `select`, for transactions that touch few rows by key. Right after a large run was stored, before
 * its statistics are known, the planner would read whole tables instead. Plans are kept, because planning such a
 * statement costs as much as executing it; so none may use `exists`, whose general plan reads a whole table.
 */
export const forceIndexScans = sql.raw<string>(
  ["seqscan", "bitmapscan", "hashjoin", "mergejoin"]
    .map((method) => `set_config('enable_${method}', 'off', true)`)
    .concat("set_config('plan_cache_mode', 'force_generic_plan', true)")
    .join(", "),
);

/** A locked attempt, and the changes to apply to it. */
export interface LockedAttempt {
  readonly id: string;
  readonly run_id: string;
  readonly fence: number;
  /** Its run is neither ended nor being cancelled. */
  readonly active: boolean;
  state: AttemptState;
  average_scores: string | null;
  /** Null: unchanged. */
  available_at: number | null;
  /** Turns to add to the counts of the attempt. */
  turns: number;
  failed: number;
  /** Turns to add to the counts of the run. */
  run_turns: number;
  run_failed: number;
  /** Failed executions to add. */
  breaks: number;
  /** The next turn number of the run. */
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

type LockedRow = Pick<LockedAttempt, "id" | "run_id" | "fence" | "state" | "active">;

const lockStatement = statement<LockedRow>(
  `select attempt.id, attempt.run_id, attempt.fence, attempt.state, run.state in ('queued', 'running') as active
    from attempt join run on run.id = attempt.run_id
    where attempt.id = any(?::text[]) order by attempt.id for update of attempt`,
);

/**
 * Locks the runs of these attempts, then the attempts, each in the order of their ids, so that no two transactions
 * deadlock. The lock on a run also assigns its turn numbers, which are thus committed in order. One number is taken per
 * given id; gaps are harmless.
 */
export async function lockRunsAndAttempts(
  writer: Writer,
  ids: readonly string[],
): Promise<ReadonlyMap<string, LockedAttempt>> {
  await sql`select ${forceIndexScans}`.execute(writer);
  const numbers = new Map<string, number>();
  for (const { run_id, last, taken } of await numbersOfRuns(writer, [ids])) numbers.set(run_id, last - taken);
  const rows = await lockAttempts(writer, [...new Set(ids)]);
  return new Map(rows.map((row) => [row.id, toLockedAttempt(row, numbers)]));
}

/** Locks attempts in the order of their ids and reads their current state. */
export function lockAttempts(writer: Writer, ids: readonly string[]): Promise<readonly LockedRow[]> {
  return lockStatement(writer, [ids]);
}

function toLockedAttempt(row: LockedRow, numbers: Map<string, number>): LockedAttempt {
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
