import { sql, type Kysely, type Transaction } from "kysely";
import { Migrator, type Migration } from "kysely/migration";
import * as runs from "./migrations/0001-runs.ts";
import * as library from "./migrations/0002-library.ts";
import * as judgeAudits from "./migrations/0004-judge-audits.ts";
import * as limits from "./migrations/0003-limits.ts";
import * as webhooks from "./migrations/0005-webhooks.ts";
import * as agent from "./migrations/0006-agent.ts";
import * as progress from "./migrations/0007-progress.ts";
import * as breaks from "./migrations/0008-breaks.ts";
import * as libraryTurns from "./migrations/0009-library-turns.ts";
import * as tidying from "./migrations/0010-tidying.ts";
import * as endpointAge from "./migrations/0011-endpoint-age.ts";
import * as tiedRuns from "./migrations/0012-tied-runs.ts";
import * as runCarriers from "./migrations/0013-run-carriers.ts";
import * as resumedRuns from "./migrations/0014-resumed-runs.ts";
import * as meteredRuns from "./migrations/0015-metered-runs.ts";
import * as runRescorings from "./migrations/0016-run-rescorings.ts";
import * as rescoringProcesses from "./migrations/0017-rescoring-processes.ts";
import * as runPolicies from "./migrations/0018-run-policies.ts";
import * as learnedLimits from "./migrations/0019-learned-limits.ts";
import * as handovers from "./migrations/0020-handovers.ts";
import * as apiKeys from "./migrations/0021-api-keys.ts";
import * as keyRates from "./migrations/0022-key-rates.ts";
import type { Tables } from "./schema.ts";

/** Every step of the schema in order. Names are stored in the database: a step is never renamed or changed. */
const migrations: Readonly<Record<string, Migration>> = {
  "0001-runs": runs,
  "0002-library": library,
  "0003-limits": limits,
  "0004-judge-audits": judgeAudits,
  "0005-webhooks": webhooks,
  "0006-agent": agent,
  "0007-progress": progress,
  "0008-breaks": breaks,
  "0009-library-turns": libraryTurns,
  "0010-tidying": tidying,
  "0011-endpoint-age": endpointAge,
  "0012-tied-runs": tiedRuns,
  "0013-run-carriers": runCarriers,
  "0014-resumed-runs": resumedRuns,
  "0015-metered-runs": meteredRuns,
  "0016-run-rescorings": runRescorings,
  "0017-rescoring-processes": rescoringProcesses,
  "0018-run-policies": runPolicies,
  "0019-learned-limits": learnedLimits,
  "0020-handovers": handovers,
  "0021-api-keys": apiKeys,
  "0022-key-rates": keyRates,
};

/** Steps a database has had that this program does not know: a newer one made it. */
export function unknownMigrations(applied: readonly string[]): string[] {
  return applied.filter((name) => !Object.hasOwn(migrations, name));
}

export function isUpToDate(applied: readonly string[]): boolean {
  return Object.keys(migrations).every((name) => applied.includes(name));
}

/** Names of the steps a database has had; none when it is new. */
export async function appliedMigrations(database: Kysely<Tables>): Promise<string[]> {
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === "kysely_migration")) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(database);
  return rows.map((row) => row.name);
}

/** Brings the schema up to date, all or nothing. Whoever comes second waits for the first and finds nothing to do. */
export async function migrate(transaction: Transaction<Tables>): Promise<void> {
  const migrator = new Migrator({ db: transaction, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}
