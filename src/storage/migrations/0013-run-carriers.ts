import type { Kysely } from "kysely";

/** Who carries out the runs that are tied to a process. A row counts for as long as its process lives. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("run_carrier")
    .addColumn("run_id", "text", (column) => column.notNull().references("run.id").onDelete("cascade"))
    .addColumn("process", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("run_carrier_key", ["run_id", "process"])
    .execute();
}
