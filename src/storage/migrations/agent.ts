import { sql, type Kysely } from "kysely";

/** Agent runs, threads, answers by Idempotency-Key, runs that wait for approval, and live processes. */
export async function createAgentTables(database: Kysely<unknown>): Promise<void> {
  await createRunLog(database);
  await createThreads(database);
  await createWaitingRuns(database);
  await createHandovers(database);

  await database.schema
    .createTable("agent_answer")
    .addColumn("name", "text", (column) => column.primaryKey().notNull())
    .addColumn("hash", "text", (column) => column.notNull())
    .addColumn("process", "text", (column) => column.notNull())
    .addColumn("answer", "text")
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  await database.schema.createIndex("agent_answer_expiry").on("agent_answer").column("expires_at").execute();

  await database.schema
    .createTable("agent_process")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("alive_until", "bigint", (column) => column.notNull())
    .execute();
}

async function createRunLog(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("agent_run")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("owner", "text")
    .addColumn("thread_id", "text")
    .addColumn("wire", "text", (column) => column.notNull())
    .addColumn("model_id", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("process", "text", (column) => column.notNull())
    .addColumn("summary", "text", (column) => column.notNull())
    .execute();
  await database.schema.createIndex("agent_run_of_owner").on("agent_run").columns(["owner", "id"]).execute();
  await database.schema
    .createIndex("agent_run_of_thread")
    .on("agent_run")
    .columns(["thread_id", "id"])
    .where(sql<boolean>`thread_id is not null`)
    .execute();
  await database.schema.createIndex("agent_run_age").on("agent_run").column("created_at").execute();
  await database.schema
    .createIndex("agent_run_running")
    .on("agent_run")
    .column("process")
    .where(sql<boolean>`state = 'running'`)
    .execute();

  await database.schema
    .createTable("agent_run_part")
    .addColumn("run_id", "text", (column) => column.notNull().references("agent_run.id").onDelete("cascade"))
    .addColumn("number", "integer", (column) => column.notNull())
    .addColumn("entries", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("agent_run_part_key", ["run_id", "number"])
    .execute();
}

async function createThreads(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("agent_thread")
    .addColumn("name", "text", (column) => column.primaryKey().notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .execute();
  await database.schema.createIndex("agent_thread_age").on("agent_thread").column("updated_at").execute();

  await database.schema
    .createTable("agent_thread_part")
    .addColumn("thread", "text", (column) => column.notNull().references("agent_thread.name").onDelete("cascade"))
    .addColumn("number", "integer", (column) => column.notNull())
    .addColumn("messages", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("agent_thread_part_key", ["thread", "number"])
    .execute();

  await database.schema
    .createTable("agent_thread_hold")
    .addColumn("name", "text", (column) => column.primaryKey().notNull())
    .addColumn("process", "text", (column) => column.notNull())
    .execute();
}

/**
 * A run that waits for approval stays stored until it ends: with the process that continues it after the decision, and
 * its steps since then.
 */
async function createWaitingRuns(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("agent_waiting_run")
    .addColumn("run_id", "text", (column) => column.primaryKey().notNull())
    .addColumn("owner", "text")
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addColumn("process", "text")
    .execute();
  await database.schema.createIndex("agent_waiting_expiry").on("agent_waiting_run").column("expires_at").execute();

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

/** Steps of own tools before a hand-over to client tools: any process may receive the follow-up. */
async function createHandovers(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("agent_handover")
    .addColumn("key", "text", (column) => column.primaryKey().notNull())
    .addColumn("owner", "text")
    .addColumn("run_id", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("size", "integer", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  // Covers everything that tidying reads, so that it does not read the states.
  await database.schema
    .createIndex("agent_handover_age")
    .on("agent_handover")
    .columns(["owner", "expires_at", "key", "size"])
    .execute();
  await database.schema.createIndex("agent_handover_run").on("agent_handover").column("run_id").execute();
}
