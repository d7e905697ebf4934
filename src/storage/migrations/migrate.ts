import { sql, type Kysely, type Transaction } from "kysely";
import { Migrator, type Migration } from "kysely/migration";
import { createAgentTables, createResponseTable } from "./agent.ts";
import { createLibraryTables } from "./library.ts";
import { createLimitTables } from "./limits.ts";
import { createReviewSkips, createRunTables, createStates, createTotals } from "./runs.ts";
import { createSpans } from "./spans.ts";
import { createWorldRelay } from "./worlds.ts";
import type { Tables } from "../tables/schema.ts";

const firstRelease = "0001-v0.2.0";

/**
 * Every step of the schema; Kysely applies them in the order of their names. A released step is never renamed or
 * changed: its name is stored in databases. Each later step is compatible with the version before it and says so in its
 * name: a program whose newest step is 0001 can also use a store that has `0002-v0.3.0-compatible-0001`.
 */
const migrations: Readonly<Record<string, Migration>> = {
  [firstRelease]: {
    async up(database: Kysely<unknown>) {
      await createRunTables(database);
      await createLibraryTables(database);
      await createLimitTables(database);
      await createAgentTables(database);
    },
  },
  "0002-v0.3.0-compatible-0001": { up: createTotals },
  "0003-v0.3.0-compatible-0002": { up: createWorldRelay },
  "0004-v0.3.0-compatible-0003": { up: createReviewSkips },
  "0005-v0.3.0-compatible-0004": { up: createStates },
  "0006-v0.3.0-compatible-0005": { up: createSpans },
  "0007-v0.3.0-compatible-0006": { up: createResponseTable },
};

/** Names of the steps, oldest first. */
export const stepNames: readonly string[] = Object.keys(migrations).toSorted();

/** Why this program cannot use a store with these steps, and what to do. Null: it can, perhaps after `migrate`. */
export function refusalOf(applied: readonly string[]): string | null {
  if (applied.length > 0 && !applied.includes(firstRelease)) {
    return `was created by a version before 0.2.0. With that version, from its package or checkout, export its runs (rehearsal report <run> -o <run>.json), then begin with an empty database; this one was not changed.`;
  }
  const newer = applied.find((name) => !stepNames.includes(name) && !isCompatible(name));
  if (newer === undefined) return null;
  return `was created by a newer version (it has "${newer}"). Install that version or use another database; this one was not changed.`;
}

/** Whether an unknown step leaves the store usable for a program with the steps of this one. */
function isCompatible(name: string): boolean {
  const oldest = /-compatible-(\d{4})$/.exec(name)?.[1];
  return oldest !== undefined && oldest <= stepNames.at(-1)!.slice(0, 4);
}

export function isUpToDate(applied: readonly string[]): boolean {
  return stepNames.every((name) => applied.includes(name));
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
