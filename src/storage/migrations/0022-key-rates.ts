import type { Kysely } from "kysely";

/** Rate limits of API keys, for services that share one database. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("key_rate")
    .addColumn("name", "text", (column) => column.primaryKey().notNull())
    .addColumn("window_start", "bigint", (column) => column.notNull())
    .addColumn("current", "integer", (column) => column.notNull())
    .addColumn("previous", "integer", (column) => column.notNull())
    .execute();
}
