import { sql, type Kysely } from "kysely";

/** Agent runs, threads, answers by Idempotency-Key, runs that have not ended, and live processes. */
export async function createAgentTables(database: Kysely<unknown>): Promise<void> {
  await createRunLogTable(database);
  await createThreadTables(database);
  await createOpenRunTable(database);
  await createHandoverTable(database);

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

async function createRunLogTable(database: Kysely<unknown>): Promise<void> {
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

async function createThreadTables(database: Kysely<unknown>): Promise<void> {
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

/** Accepted turns and runs that wait for approval, with the steps that were carried out. */
async function createOpenRunTable(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("agent_open_run")
    .addColumn("run_id", "text", (column) => column.primaryKey().notNull())
    .addColumn("phase", "text", (column) => column.notNull())
    .addColumn("owner", "text")
    .addColumn("thread", "text")
    .addColumn("answer", "text")
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("expires_at", "bigint")
    .addColumn("process", "text")
    .addColumn("tries", "integer", (column) => column.notNull())
    .addColumn("cancelled", "integer", (column) => column.notNull())
    .execute();
  for (const column of ["thread", "answer", "expires_at"] as const) {
    await database.schema
      .createIndex(`agent_open_run_${column}`)
      .on("agent_open_run")
      .column(column)
      .where(sql<boolean>`${sql.ref(column)} is not null`)
      .execute();
  }
  await database.schema
    .createTable("agent_open_run_step")
    .addColumn("run_id", "text", (column) => column.notNull().references("agent_open_run.run_id").onDelete("cascade"))
    .addColumn("number", "integer", (column) => column.notNull())
    .addColumn("step", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("agent_open_run_step_key", ["run_id", "number"])
    .execute();
}

/** Steps of own tools before a hand-over to client tools: any process may receive the follow-up. */
async function createHandoverTable(database: Kysely<unknown>): Promise<void> {
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

/** Responses that clients continue, read and delete by their id. */
export async function createResponseTable(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("agent_response")
    .addColumn("run_id", "text", (column) => column.primaryKey().notNull())
    .addColumn("owner", "text")
    .addColumn("previous", "text")
    .addColumn("chain", "text", (column) => column.notNull())
    .addColumn("thread", "text")
    .addColumn("request", "text", (column) => column.notNull())
    .addColumn("body", "text")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await database.schema
    .createIndex("agent_response_age")
    .on("agent_response")
    .columns(["created_at", "chain"])
    .execute();
  await database.schema
    .createIndex("agent_response_chain")
    .on("agent_response")
    .columns(["chain", "created_at"])
    .execute();
}
