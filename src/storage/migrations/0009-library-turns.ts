import { createHash } from "node:crypto";
import type { Kysely } from "kysely";

type Rows = { library_scenario: { id: string; version: string; definition: string; turns: string } };

/** A hash of what a scenario asks and expects, so that another one with the same turns is found without reading them all. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable("library_scenario")
    .addColumn("turns", "text", (column) => column.notNull().defaultTo(""))
    .execute();
  const rows = database.withTables<Rows>();
  const keys = await rows.selectFrom("library_scenario").select(["id", "version"]).execute();
  for (const { id, version } of keys) {
    const one = rows.selectFrom("library_scenario").where("id", "=", id).where("version", "=", version);
    const { definition } = await one.select("definition").executeTakeFirstOrThrow();
    await rows
      .updateTable("library_scenario")
      .where("id", "=", id)
      .where("version", "=", version)
      .set({ turns: turnsOf(definition) })
      .execute();
  }
  await database.schema.createIndex("library_turns").on("library_scenario").column("turns").execute();
}

/** As it was when this step was made: a step is never changed. */
function turnsOf(definition: string): string {
  const { interactions } = JSON.parse(definition) as {
    interactions: { user_message: string; reference_reply: string }[];
  };
  const turns = interactions.map(({ user_message, reference_reply }) => [user_message, reference_reply]);
  return createHash("sha256").update(JSON.stringify(turns)).digest("hex");
}
