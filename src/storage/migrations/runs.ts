import { sql, type Kysely } from "kysely";

/** Runs with their scenarios, attempts and stored turns, and verdicts on replies. */
export async function createRunTables(database: Kysely<unknown>): Promise<void> {
  await createRuns(database);
  await createAttempts(database);
  await createTurnTables(database);
  await createHolds(database);
  await createHumanVerdicts(database);
}

/** Totals of the scenarios of ended runs. Runs that ended before have none. */
export async function createTotals(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("run_totals")
    .addColumn("run_id", "text", (column) => column.primaryKey().notNull().references("run.id").onDelete("cascade"))
    .addColumn("rescored_at", "text", (column) => column.notNull())
    .addColumn("totals", "text", (column) => column.notNull())
    .execute();
}

/** Large states that worlds of several scenarios of a run begin with, stored once. */
export async function createStates(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("run_state")
    .addColumn("run_id", "text", (column) => column.notNull().references("run.id").onDelete("cascade"))
    .addColumn("hash", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("run_state_key", ["run_id", "hash"])
    .execute();
}

/** Replies that were drawn to be judged and that a person skipped: one row per reply, question and person. */
export async function createReviewSkips(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("review_skip")
    .addColumn("run_id", "text", (column) => column.notNull().references("run.id").onDelete("cascade"))
    .addColumn("scenario_index", "integer", (column) => column.notNull())
    .addColumn("attempt", "integer", (column) => column.notNull())
    .addColumn("turn_index", "integer", (column) => column.notNull())
    .addColumn("question", "text", (column) => column.notNull())
    .addColumn("against", "text", (column) => column.notNull())
    .addColumn("rater", "text", (column) => column.notNull())
    .addColumn("sampling", "text", (column) => column.notNull())
    .addColumn("asked", "text", (column) => column.notNull())
    .addColumn("skipped_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("review_skip_key", [
      "run_id",
      "scenario_index",
      "attempt",
      "turn_index",
      "question",
      "against",
      "rater",
    ])
    .execute();
}

async function createRuns(database: Kysely<unknown>): Promise<void> {
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
    .addColumn("tied", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("metered", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("endpoint_policy", "text")
    .addColumn("webhook_due", "bigint")
    .addColumn("webhook_tries", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("webhook_sent", "text")
    .addColumn("late_calls", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
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
    .createIndex("run_webhook_due")
    .on("run")
    .column("webhook_due")
    .where(sql<boolean>`webhook_due is not null`)
    .execute();
  // For the retention sweep: ended runs and expired Idempotency-Keys.
  await database.schema
    .createIndex("run_ended")
    .on("run")
    .column("finished_at")
    .where(sql<boolean>`removed = 0`)
    .execute();
  await database.schema
    .createIndex("run_keyed")
    .on("run")
    .column("created_at")
    .where(sql<boolean>`idempotency_key is not null`)
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
    .addColumn("attempts_done", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("interactions_done", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("interactions_failed", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}

async function createAttempts(database: Kysely<unknown>): Promise<void> {
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
    .addColumn("breaks", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("lease_owner", "text")
    .addColumn("lease_until", "bigint")
    .addColumn("available_at", "bigint", (column) => column.notNull().defaultTo(0))
    .addColumn("slice", "text")
    .addUniqueConstraint("attempt_place", ["run_id", "scenario_index", "attempt"])
    .execute();
  await database.schema
    .createIndex("attempt_ready")
    .on("attempt")
    .columns(["run_id", "available_at", "scenario_index", "attempt"])
    .where(sql<boolean>`state = 'ready'`)
    .execute();
  // Every claim counts the running attempts of runs: without this index claims are seven times slower.
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

/** One row per stored turn; and the steps of turns in a world, one row for the entries that were written together. */
async function createTurnTables(database: Kysely<unknown>): Promise<void> {
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
  await database.schema
    .createIndex("interaction_order")
    .on("interaction")
    .columns(["run_id", "seq"])
    .unique()
    .execute();

  await database.schema
    .createTable("turn_journal")
    .addColumn("attempt_id", "text", (column) => column.notNull().references("attempt.id").onDelete("cascade"))
    .addColumn("turn_index", "integer", (column) => column.notNull())
    .addColumn("number", "integer", (column) => column.notNull())
    .addColumn("run_id", "text", (column) => column.notNull())
    .addColumn("entries", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("turn_journal_key", ["attempt_id", "turn_index", "number"])
    .execute();
  await database.schema
    .createIndex("turn_journal_run")
    .on("turn_journal")
    .columns(["run_id", "attempt_id", "turn_index", "number"])
    .execute();
}

/** The processes that execute tied runs, and those that rescore ended runs. A row counts while its process lives. */
async function createHolds(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("run_carrier")
    .addColumn("run_id", "text", (column) => column.notNull().references("run.id").onDelete("cascade"))
    .addColumn("process", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("run_carrier_key", ["run_id", "process"])
    .execute();

  await database.schema
    .createTable("run_rescoring")
    .addColumn("run_id", "text", (column) => column.primaryKey().references("run.id").onDelete("cascade"))
    .addColumn("process", "text", (column) => column.notNull())
    .addColumn("token", "text", (column) => column.notNull())
    .execute();
}

/** Verdicts of people on replies: one per reply, question and person, and one that decides. */
async function createHumanVerdicts(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("human_verdict")
    .addColumn("run_id", "text", (column) => column.notNull().references("run.id").onDelete("cascade"))
    .addColumn("scenario_index", "integer", (column) => column.notNull())
    .addColumn("attempt", "integer", (column) => column.notNull())
    .addColumn("turn_index", "integer", (column) => column.notNull())
    .addColumn("question", "text", (column) => column.notNull())
    .addColumn("against", "text", (column) => column.notNull())
    .addColumn("adjudication", "integer", (column) => column.notNull())
    .addColumn("rater", "text", (column) => column.notNull())
    .addColumn("choice", "text", (column) => column.notNull())
    .addColumn("value", "double precision", (column) => column.notNull())
    .addColumn("comment", "text")
    .addColumn("sampling", "text", (column) => column.notNull())
    .addColumn("asked", "text", (column) => column.notNull())
    .addColumn("given_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("human_verdict_key", [
      "run_id",
      "scenario_index",
      "attempt",
      "turn_index",
      "question",
      "against",
      "adjudication",
      "rater",
    ])
    .execute();
}
