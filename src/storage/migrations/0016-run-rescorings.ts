import type { Kysely } from "kysely";

/** Who scores which ended run again, alone. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("run_rescoring")
    .addColumn("run_id", "text", (column) => column.primaryKey().references("run.id").onDelete("cascade"))
    .addColumn("process", "text", (column) => column.notNull())
    .addColumn("token", "text", (column) => column.notNull())
    .addColumn("lease_until", "bigint", (column) => column.notNull())
    .execute();
}
