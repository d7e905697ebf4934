import type { Kysely } from "kysely";

/** API keys of services that share one database. A single machine keeps them in a file. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("api_key")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("owner", "text", (column) => column.notNull())
    .addColumn("scopes", "text", (column) => column.notNull())
    .addColumn("sha256", "text", (column) => column.notNull())
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("expires_at", "text")
    .addColumn("revoked_at", "text")
    .addColumn("last_used_at", "text")
    .execute();
}
