import type { Kysely } from "kysely";

/** What workers share about each model endpoint: how many calls at once, how fast, and who may make how many of them. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("endpoint_limit")
    .addColumn("endpoint", "text", (column) => column.primaryKey().notNull())
    .addColumn("calls", "integer", (column) => column.notNull())
    .addColumn("successes", "integer", (column) => column.notNull())
    .addColumn("halved_at", "bigint", (column) => column.notNull())
    .addColumn("request_tat", "double precision", (column) => column.notNull())
    .addColumn("token_tat", "double precision", (column) => column.notNull())
    .addColumn("token_average", "double precision", (column) => column.notNull())
    .addColumn("paused_until", "bigint", (column) => column.notNull())
    .execute();

  await database.schema
    .createTable("endpoint_slots")
    .addColumn("endpoint", "text", (column) => column.notNull())
    .addColumn("worker", "text", (column) => column.notNull())
    .addColumn("slots", "integer", (column) => column.notNull())
    .addColumn("wanted", "integer", (column) => column.notNull())
    .addColumn("lease_until", "bigint", (column) => column.notNull())
    .addColumn("granted_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("endpoint_slots_key", ["endpoint", "worker"])
    .execute();
}
