import type { Kysely } from "kysely";

/** Limits that workers share: of model endpoints, and of API keys. */
export async function createLimitTables(database: Kysely<unknown>): Promise<void> {
  await createEndpointLimits(database);
  await createApiKeys(database);
  await createKeyRateTable(database);
}

/** State that workers share per model endpoint: concurrency, rates, and the slots of each worker. */
async function createEndpointLimits(database: Kysely<unknown>): Promise<void> {
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
    .addColumn("settled_at", "bigint", (column) => column.notNull().defaultTo(0))
    .addColumn("refused_at", "bigint", (column) => column.notNull().defaultTo(0))
    .execute();

  await database.schema
    .createTable("endpoint_slots")
    .addColumn("endpoint", "text", (column) => column.notNull())
    .addColumn("worker", "text", (column) => column.notNull())
    .addColumn("slots", "integer", (column) => column.notNull())
    .addColumn("wanted", "integer", (column) => column.notNull())
    .addColumn("lease_until", "bigint", (column) => column.notNull())
    .addColumn("granted_at", "bigint", (column) => column.notNull())
    .addColumn("shared_limit", "integer")
    .addPrimaryKeyConstraint("endpoint_slots_key", ["endpoint", "worker"])
    .execute();
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
async function createKeyRateTable(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("key_rate")
    .addColumn("name", "text", (column) => column.primaryKey().notNull())
    .addColumn("window_start", "bigint", (column) => column.notNull())
    .addColumn("current", "integer", (column) => column.notNull())
    .addColumn("previous", "integer", (column) => column.notNull())
    .execute();
}
