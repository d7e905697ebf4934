import type { Kysely } from "kysely";

/** The endpoints of worlds by the process that has them, and the requests that other processes pass on to it. */
export async function createWorldRelay(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("world_endpoint")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("process", "text", (column) => column.notNull())
    .addColumn("run_id", "text", (column) => column.notNull())
    .addColumn("attempt", "text", (column) => column.notNull())
    .addColumn("closed", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("opened_at", "bigint", (column) => column.notNull())
    .execute();
  await database.schema.createIndex("world_endpoint_opened").on("world_endpoint").columns(["opened_at"]).execute();
  await database.schema
    .createTable("world_request")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("endpoint", "text", (column) => column.notNull())
    .addColumn("process", "text", (column) => column.notNull())
    .addColumn("request", "text", (column) => column.notNull())
    .addColumn("response", "text")
    .addColumn("sent_at", "bigint", (column) => column.notNull())
    .execute();
  await database.schema.createIndex("world_request_process").on("world_request").columns(["process"]).execute();
}
