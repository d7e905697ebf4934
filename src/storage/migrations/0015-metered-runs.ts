import type { Kysely } from "kysely";

/** Runs that may spend only so much, and so are carried out by one process at a time, which knows what is under way. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable("run")
    .addColumn("metered", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}
