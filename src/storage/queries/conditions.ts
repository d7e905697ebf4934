import { sql, type Expression, type SqlBool } from "kysely";
import type { Lease } from "../../contract/ports/store.ts";

/**
 * States as SQL literals. A partial index (`where state = 'ready'`) is only used reliably when the query contains the
 * same literal; a bound parameter hides it from the planner.
 */
export const ready = sql.lit("ready" as const);
export const running = sql.lit("running" as const);
export const cancelled = sql.lit("cancelled" as const);

/** Runs whose attempts may be executed. */
export const activeRunStates = ["queued", "running"] as const;
/** Runs that have not ended. */
export const unfinishedRunStates = ["queued", "running", "cancelling"] as const;

/** The attempt is running and leased with this fence. */
export function isHeldBy({ attempt_id, fence }: Lease): Expression<SqlBool> {
  return sql<SqlBool>`(attempt.id = ${attempt_id} and attempt.fence = ${fence} and attempt.state = ${running})`;
}

/** The run of an attempt is neither ended nor being cancelled. */
export const runIsActive: Expression<SqlBool> = sql<SqlBool>`exists (
  select 1 from run where run.id = attempt.run_id and run.state in ('queued', 'running')
)`;

/** Keyset pagination: attempts after this one, in the order of scenarios and attempts. */
export function isAfterAttempt({ scenario_index, attempt }: AttemptPosition): Expression<SqlBool> {
  return sql<SqlBool>`(attempt.scenario_index, attempt.attempt) > (${scenario_index}, ${attempt})`;
}

interface AttemptPosition {
  readonly scenario_index: number;
  readonly attempt: number;
}
