import type { Kysely } from "kysely";

/** Steps of own tools before a hand-over to client tools: the follow-up may come to any process. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("agent_handover")
    .addColumn("key", "text", (column) => column.primaryKey().notNull())
    .addColumn("owner", "text")
    .addColumn("run_id", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("size", "integer", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  // Holds all that tidying looks at, so that it does not read the states.
  await database.schema
    .createIndex("agent_handover_age")
    .on("agent_handover")
    .columns(["owner", "expires_at", "key", "size"])
    .execute();
  await database.schema.createIndex("agent_handover_run").on("agent_handover").column("run_id").execute();
}
