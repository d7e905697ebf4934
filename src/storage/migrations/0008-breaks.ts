import type { Kysely } from "kysely";

/** How often the execution of an attempt has broken, beside how often it was claimed: that may be for no fault of its own. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable("attempt")
    .addColumn("breaks", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}
