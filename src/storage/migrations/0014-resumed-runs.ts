import type { Kysely } from "kysely";

/** A run that waited stays until it has ended: who carries it out after a decision, and what has been done since. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("agent_waiting_run").addColumn("process", "text").execute();
  await database.schema
    .createTable("agent_resumed_part")
    .addColumn("run_id", "text", (column) =>
      column.notNull().references("agent_waiting_run.run_id").onDelete("cascade"),
    )
    .addColumn("number", "integer", (column) => column.notNull())
    .addColumn("entry", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("agent_resumed_part_key", ["run_id", "number"])
    .execute();
}
