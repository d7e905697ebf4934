import { sql, type Kysely, type Transaction } from "kysely";
import { Migrator, type Migration } from "kysely/migration";
import { agentMigrations } from "./migrations/agent.ts";
import { libraryMigrations } from "./migrations/library.ts";
import { limitMigrations } from "./migrations/limits.ts";
import { runMigrations } from "./migrations/runs.ts";
import type { Tables } from "./schema.ts";

/** Every step of the schema. Kysely applies them in the order of their names. */
const migrations: Readonly<Record<string, Migration>> = {
  ...runMigrations,
  ...libraryMigrations,
  ...limitMigrations,
  ...agentMigrations,
};

/** Applied steps that this program does not know: a newer version created them. */
export function unknownMigrations(applied: readonly string[]): string[] {
  return applied.filter((name) => !Object.hasOwn(migrations, name));
}

export function isUpToDate(applied: readonly string[]): boolean {
  return Object.keys(migrations).every((name) => applied.includes(name));
}

/** Names of the applied steps; none for a new database. */
export async function appliedMigrations(database: Kysely<Tables>): Promise<string[]> {
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === "kysely_migration")) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(database);
  return rows.map((row) => row.name);
}

/** Migrates the schema, all or nothing. A concurrent second process waits and finds nothing to do. */
export async function migrate(transaction: Transaction<Tables>): Promise<void> {
  const migrator = new Migrator({ db: transaction, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}
