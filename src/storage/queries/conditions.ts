import { sql, type Expression, type SqlBool } from "kysely";
import type { Lease } from "../../contract/ports/store.ts";
import { running } from "./states.ts";

/** Conditions on rows of `attempt`. */

/** Under way, and held with this fence. */
export function isHeldBy({ attempt_id, fence }: Lease): Expression<SqlBool> {
  return sql<SqlBool>`(attempt.id = ${attempt_id} and attempt.fence = ${fence} and attempt.state = ${running})`;
}

/** Its run may be worked on: neither ended nor being cancelled. */
export const runIsActive: Expression<SqlBool> = sql<SqlBool>`exists (
  select 1 from run where run.id = attempt.run_id and run.state in ('queued', 'running')
)`;
