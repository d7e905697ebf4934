import type { Kysely } from "kysely";

/** When an endpoint's limits were last settled, so that those nobody uses any more can be forgotten. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable("endpoint_limit")
    .addColumn("settled_at", "bigint", (column) => column.notNull().defaultTo(0))
    .execute();
}
