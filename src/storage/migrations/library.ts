import { createHash } from "node:crypto";
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** The schema steps of the scenario library and judge audits. A step is never renamed or changed: its name is stored in databases. */
export const libraryMigrations = {
  "0002-library": { up: createLibrary },
  "0004-judge-audits": { up: createJudgeAudits },
  "0009-library-turns": { up: addTurnsHash },
} satisfies Record<string, Migration>;

/** The scenario library: one row per version of a scenario. */
async function createLibrary(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("library_scenario")
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("version", "text", (column) => column.notNull())
    .addColumn("number", "integer", (column) => column.notNull())
    .addColumn("definition", "text", (column) => column.notNull())
    .addColumn("search", "text", (column) => column.notNull())
    .addColumn("newest", "integer", (column) => column.notNull())
    .addColumn("demo", "integer", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("library_scenario_key", ["id", "version"])
    .execute();
  await database.schema.createIndex("library_newest").on("library_scenario").columns(["newest", "id"]).execute();
}

/** The last audit of each judge. */
async function createJudgeAudits(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("judge_audit")
    .addColumn("fingerprint", "text", (column) => column.primaryKey().notNull())
    .addColumn("passed", "integer", (column) => column.notNull())
    .addColumn("audit", "text", (column) => column.notNull())
    .addColumn("audited_at", "bigint", (column) => column.notNull())
    .execute();
}

type Rows = { library_scenario: { id: string; version: string; definition: string; turns: string } };

/** A hash of the turns, to find scenarios with the same turns without reading them all. */
async function addTurnsHash(database: Kysely<unknown>): Promise<void> {
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

/** A copy of the hash as it was when this step was written: a step never changes. */
function turnsOf(definition: string): string {
  const { interactions } = JSON.parse(definition) as {
    interactions: { user_message: string; reference_reply: string }[];
  };
  const turns = interactions.map(({ user_message, reference_reply }) => [user_message, reference_reply]);
  return createHash("sha256").update(JSON.stringify(turns)).digest("hex");
}
