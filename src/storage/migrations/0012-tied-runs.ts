import type { Kysely } from "kysely";

/** Runs that only a process that names them can carry out: what they test lives there. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable("run")
    .addColumn("tied", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}
