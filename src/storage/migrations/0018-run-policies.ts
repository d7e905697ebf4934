import type { Kysely } from "kysely";

/** The endpoint policy a run was accepted under. Runs from before have none: the process that carries them out decides alone. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("run").addColumn("endpoint_policy", "text").execute();
}
