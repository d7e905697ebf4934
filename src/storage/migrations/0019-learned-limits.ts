import type { Kysely } from "kysely";

/**
 * Limits of calls at once are learned from refusals alone, and forgotten after a while; a worker may have a number of calls of its own
 * beside those that share one. The numbers stored so far may be those of a command that is long over.
 */
export async function up(database: Kysely<{ endpoint_limit: { calls: number } }>): Promise<void> {
  await database.schema
    .alterTable("endpoint_limit")
    .addColumn("refused_at", "bigint", (column) => column.notNull().defaultTo(0))
    .execute();
  await database.schema.alterTable("endpoint_slots").addColumn("shared_limit", "integer").execute();
  await database.updateTable("endpoint_limit").set({ calls: 0 }).execute();
}
