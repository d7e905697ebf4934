import { sql } from "kysely";

/**
 * Columns of a first `select`, for transactions that touch a few rows by their keys. Right after a large run was stored,
 * before the planner knows about it, it would read all rows of a table instead.
 */
export const keepToIndexes = sql.raw<string>(
  ["seqscan", "bitmapscan", "hashjoin", "mergejoin"]
    .map((method) => `set_config('enable_${method}', 'off', true)`)
    .join(", "),
);
