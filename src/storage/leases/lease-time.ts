import { sql, type Expression, type SqlBool } from "kysely";
import { ready, running } from "../queries/states.ts";

/** The longest an attempt may be told to wait before it is handed out again. */
export const longestDelayMs = 3_600_000;

/** Available at once, before others of its run: it was under way when memory ran out. */
const suspectAt = -1;
/** It was so the next time too: it goes before all else, and to whoever holds nothing. */
export const aloneAt = -2;

/** When an attempt is available that is taken back because memory ran out. */
export const afterMemoryRanOut = sql<number>`case when available_at < 0 then ${sql.lit(aloneAt)} else ${sql.lit(suspectAt)} end`;

/**
 * Leases are measured on the host's steady clock, which starts again at zero when the host does. So a lease or a delay
 * that lies further ahead than any could have been set was set before a restart, and counts as over.
 */
export function isExpired({ now, leaseMs }: { now: number; leaseMs: number }): Expression<SqlBool> {
  return sql<SqlBool>`(attempt.state = ${running}
    and (attempt.lease_until <= ${now} or attempt.lease_until > ${furthestLease({ now, leaseMs })}))`;
}

/** No lease lies further ahead. Four times, so that processes with different settings do not take each other's for old ones. */
export function furthestLease({ now, leaseMs }: { now: number; leaseMs: number }): number {
  return now + 4 * leaseMs;
}

export function isAvailable(now: number): Expression<SqlBool> {
  return sql<SqlBool>`(attempt.state = ${ready}
    and (attempt.available_at <= ${now} or attempt.available_at > ${now + longestDelayMs}))`;
}
