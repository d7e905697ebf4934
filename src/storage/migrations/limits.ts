import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** The schema steps of endpoint limits and API keys. A step is never renamed or changed: its name is stored in databases. */
export const limitMigrations = {
  "0003-limits": { up: createLimits },
  "0011-endpoint-age": { up: addSettledAt },
  "0019-learned-limits": { up: addLearnedLimits },
  "0021-api-keys": { up: createApiKeys },
  "0022-key-rates": { up: createKeyRates },
} satisfies Record<string, Migration>;

/** State that workers share per model endpoint: concurrency, rates, and the slots of each worker. */
async function createLimits(database: Kysely<unknown>): Promise<void> {
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

/** When an endpoint was last used, so that unused ones can be deleted. */
async function addSettledAt(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable("endpoint_limit")
    .addColumn("settled_at", "bigint", (column) => column.notNull().defaultTo(0))
    .execute();
}

/**
 * Concurrency is learned from refusals only and expires; a worker may have a limit of its own beside the shared one.
 * Stored numbers may stem from a command that ended long ago, so they are reset.
 */
async function addLearnedLimits(database: Kysely<{ endpoint_limit: { calls: number } }>): Promise<void> {
  await database.schema
    .alterTable("endpoint_limit")
    .addColumn("refused_at", "bigint", (column) => column.notNull().defaultTo(0))
    .execute();
  await database.schema.alterTable("endpoint_slots").addColumn("shared_limit", "integer").execute();
  await database.updateTable("endpoint_limit").set({ calls: 0 }).execute();
}

/** API keys of services that share one database. A single machine keeps them in a file. */
async function createApiKeys(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("api_key")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("owner", "text", (column) => column.notNull())
    .addColumn("scopes", "text", (column) => column.notNull())
    .addColumn("sha256", "text", (column) => column.notNull())
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("expires_at", "text")
    .addColumn("revoked_at", "text")
    .addColumn("last_used_at", "text")
    .execute();
}

/** Rate limits of API keys, for services that share one database. */
async function createKeyRates(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("key_rate")
    .addColumn("name", "text", (column) => column.primaryKey().notNull())
    .addColumn("window_start", "bigint", (column) => column.notNull())
    .addColumn("current", "integer", (column) => column.notNull())
    .addColumn("previous", "integer", (column) => column.notNull())
    .execute();
}
