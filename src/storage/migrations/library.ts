import type { Kysely } from "kysely";

/** The scenario library, one row per version of a scenario; and the last audit of each judge. */
export async function createLibraryTables(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("library_scenario")
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("version", "text", (column) => column.notNull())
    .addColumn("number", "integer", (column) => column.notNull())
    .addColumn("definition", "text", (column) => column.notNull())
    .addColumn("search", "text", (column) => column.notNull())
    .addColumn("newest", "integer", (column) => column.notNull())
    .addColumn("demo", "integer", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("turns", "text", (column) => column.notNull().defaultTo(""))
    .addPrimaryKeyConstraint("library_scenario_key", ["id", "version"])
    .execute();
  await database.schema.createIndex("library_newest").on("library_scenario").columns(["newest", "id"]).execute();
  await database.schema.createIndex("library_turns").on("library_scenario").column("turns").execute();

  await database.schema
    .createTable("judge_audit")
    .addColumn("fingerprint", "text", (column) => column.primaryKey().notNull())
    .addColumn("passed", "integer", (column) => column.notNull())
    .addColumn("audit", "text", (column) => column.notNull())
    .addColumn("audited_at", "bigint", (column) => column.notNull())
    .execute();
}
