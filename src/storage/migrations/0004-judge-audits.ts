import type { Kysely } from "kysely";

/** The last audit of each judge. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("judge_audit")
    .addColumn("fingerprint", "text", (column) => column.primaryKey().notNull())
    .addColumn("passed", "integer", (column) => column.notNull())
    .addColumn("audit", "text", (column) => column.notNull())
    .addColumn("audited_at", "bigint", (column) => column.notNull())
    .execute();
}
