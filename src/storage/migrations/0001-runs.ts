import { sql, type Kysely } from "kysely";

/** Runs, their scenarios and attempts, and one row for every turn that has an answer. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("run")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("owner", "text")
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("priority", "integer", (column) => column.notNull())
    .addColumn("demo", "integer", (column) => column.notNull())
    .addColumn("settings", "text", (column) => column.notNull())
    .addColumn("warnings", "text", (column) => column.notNull())
    .addColumn("message", "text", (column) => column.notNull())
    .addColumn("summary", "text")
    .addColumn("test_name", "text", (column) => column.notNull())
    .addColumn("model_id", "text", (column) => column.notNull())
    .addColumn("max_concurrency", "integer")
    .addColumn("idempotency_key", "text", (column) => column.unique())
    .addColumn("idempotency_hash", "text")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("started_at", "bigint")
    .addColumn("finished_at", "bigint")
    .addColumn("attempts_total", "integer", (column) => column.notNull())
    .addColumn("interactions_total", "integer", (column) => column.notNull())
    .addColumn("attempts_done", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("interactions_done", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("interactions_failed", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("removed", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("unclosed", "integer", (column) => column.notNull().defaultTo(0))
    .execute();

  await database.schema
    .createTable("run_scenario")
    .addColumn("run_id", "text", (column) => column.notNull().references("run.id").onDelete("cascade"))
    .addColumn("scenario_index", "integer", (column) => column.notNull())
    .addColumn("definition", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("run_scenario_key", ["run_id", "scenario_index"])
    .execute();

  await database.schema
    .createTable("run_sequence")
    .addColumn("run_id", "text", (column) => column.primaryKey().notNull().references("run.id").onDelete("cascade"))
    .addColumn("last", "bigint", (column) => column.notNull())
    .execute();

  await database.schema
    .createTable("attempt")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("run_id", "text", (column) => column.notNull().references("run.id").onDelete("cascade"))
    .addColumn("scenario_index", "integer", (column) => column.notNull())
    .addColumn("attempt", "integer", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull().defaultTo("ready"))
    .addColumn("average_scores", "text")
    .addColumn("interactions_done", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("interactions_failed", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("fence", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("tries", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("lease_owner", "text")
    .addColumn("lease_until", "bigint")
    .addColumn("available_at", "bigint", (column) => column.notNull().defaultTo(0))
    .addUniqueConstraint("attempt_place", ["run_id", "scenario_index", "attempt"])
    .execute();

  await database.schema
    .createTable("interaction")
    .addColumn("attempt_id", "text", (column) => column.notNull().references("attempt.id").onDelete("cascade"))
    .addColumn("turn_index", "integer", (column) => column.notNull())
    .addColumn("run_id", "text", (column) => column.notNull())
    .addColumn("seq", "bigint", (column) => column.notNull())
    .addColumn("reply", "text", (column) => column.notNull())
    .addColumn("scores", "text")
    .addColumn("failed", "integer", (column) => column.notNull())
    .addColumn("finished_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("interaction_key", ["attempt_id", "turn_index"])
    .execute();

  await createIndexes(database);
}

async function createIndexes(database: Kysely<unknown>): Promise<void> {
  await database.schema.createIndex("run_newest").on("run").columns(["created_at", "id"]).execute();
  await database.schema.createIndex("run_by_state").on("run").columns(["state", "created_at", "id"]).execute();
  await database.schema
    .createIndex("run_removed")
    .on("run")
    .column("id")
    .where(sql<boolean>`removed = 1`)
    .execute();
  await database.schema
    .createIndex("run_unclosed")
    .on("run")
    .column("id")
    .where(sql<boolean>`unclosed = 1`)
    .execute();
  await database.schema
    .createIndex("interaction_order")
    .on("interaction")
    .columns(["run_id", "seq"])
    .unique()
    .execute();
  await database.schema
    .createIndex("attempt_ready")
    .on("attempt")
    .columns(["run_id", "available_at", "scenario_index", "attempt"])
    .where(sql<boolean>`state = 'ready'`)
    .execute();
  // Counting what a run has under way is part of every claim: without this index claims fall to a seventh of their speed.
  await database.schema
    .createIndex("attempt_running")
    .on("attempt")
    .column("run_id")
    .where(sql<boolean>`state = 'running'`)
    .execute();
  await database.schema
    .createIndex("attempt_lease")
    .on("attempt")
    .column("lease_until")
    .where(sql<boolean>`state = 'running'`)
    .execute();
}
