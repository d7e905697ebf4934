import { sql } from "kysely";

/**
 * States as literals in the SQL. A partial index (`where state = 'ready'`) is only sure to be used when the query says
 * the same words; a bound parameter hides them from the planner.
 */
export const ready = sql.lit("ready" as const);
export const running = sql.lit("running" as const);
export const cancelled = sql.lit("cancelled" as const);

/** Runs whose attempts may be worked on. */
export const activeRunStates = ["queued", "running"] as const;
/** Runs that still have to be brought to an end. */
export const unfinishedRunStates = ["queued", "running", "cancelling"] as const;
