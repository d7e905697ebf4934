import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/** The schema steps of evaluation runs. A step is never renamed or changed: its name is stored in databases. */
export const runMigrations = {
  "0001-runs": { up: createRunTables },
  "0005-webhooks": { up: addWebhookOutbox },
  "0007-progress": { up: addProgress },
  "0008-breaks": { up: addBreaks },
  "0010-tidying": { up: addTidyingIndexes },
  "0012-tied-runs": { up: addTied },
  "0013-run-carriers": { up: createRunCarriers },
  "0015-metered-runs": { up: addMetered },
  "0016-run-rescorings": { up: createRunRescorings },
  "0017-rescoring-processes": { up: dropRescoringLease },
  "0018-run-policies": { up: addEndpointPolicy },
  "0023-turn-journal": { up: createTurnJournal },
  "0026-human-verdicts": { up: createHumanVerdicts },
  "0031-slices": { up: addSlices },
  "0033-late-calls": { up: addLateCalls },
} satisfies Record<string, Migration>;

/** Runs, their scenarios and attempts, and one row per stored turn. */
async function createRunTables(database: Kysely<unknown>): Promise<void> {
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

/** The webhook outbox of ended runs. */
async function addWebhookOutbox(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("run").addColumn("webhook_due", "bigint").execute();
  await database.schema
    .alterTable("run")
    .addColumn("webhook_tries", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  await database.schema.alterTable("run").addColumn("webhook_sent", "text").execute();
  await database.schema
    .createIndex("run_webhook_due")
    .on("run")
    .column("webhook_due")
    .where(sql<boolean>`webhook_due is not null`)
    .execute();
}

const counts = ["attempts_done", "interactions_done", "interactions_failed"] as const;

/** Progress counts beside the last turn number: a row that every turn updates anyway. */
async function addProgress(database: Kysely<unknown>): Promise<void> {
  for (const count of counts) {
    await database.schema
      .alterTable("run_sequence")
      .addColumn(count, "integer", (column) => column.notNull().defaultTo(0))
      .execute();
  }
  const sum = (column: string) =>
    sql`(select coalesce(sum(${sql.raw(column)}), 0) from attempt where attempt.run_id = run_sequence.run_id)`;
  await sql`update run_sequence set
      attempts_done = ${sum("case when state = 'done' then 1 else 0 end")},
      interactions_done = ${sum("interactions_done")},
      interactions_failed = ${sum("interactions_failed")}
    where run_id in (select id from run where state in ('queued', 'running', 'cancelling'))`.execute(database);
}

/** Counts how often executing an attempt has failed, separately from how often it was claimed. */
async function addBreaks(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable("attempt")
    .addColumn("breaks", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}

/** Indexes for the retention sweep: ended runs and expired Idempotency-Keys. */
async function addTidyingIndexes(database: Kysely<unknown>): Promise<void> {
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
}

/** Runs that only a process naming them can execute, because the tested code lives in that process. */
async function addTied(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable("run")
    .addColumn("tied", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}

/** The processes that execute tied runs. A row counts while its process lives. */
async function createRunCarriers(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("run_carrier")
    .addColumn("run_id", "text", (column) => column.notNull().references("run.id").onDelete("cascade"))
    .addColumn("process", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("run_carrier_key", ["run_id", "process"])
    .execute();
}

/** Runs with a budget: one process at a time executes them and counts what is in flight. */
async function addMetered(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable("run")
    .addColumn("metered", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}

/** The process that rescores an ended run. */
async function createRunRescorings(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("run_rescoring")
    .addColumn("run_id", "text", (column) => column.primaryKey().references("run.id").onDelete("cascade"))
    .addColumn("process", "text", (column) => column.notNull())
    .addColumn("token", "text", (column) => column.notNull())
    .addColumn("lease_until", "bigint", (column) => column.notNull())
    .execute();
}

/** Rescoring needs no lease of its own: the process shows that it lives (`presence.ts`). */
async function dropRescoringLease(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("run_rescoring").dropColumn("lease_until").execute();
}

/** The endpoint policy a run was accepted under. Null for older runs: the executing process decides alone. */
async function addEndpointPolicy(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("run").addColumn("endpoint_policy", "text").execute();
}

/** The steps of turns in a world: one row for the entries that were written together. */
async function createTurnJournal(database: Kysely<unknown>): Promise<void> {
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

/** Calls in worlds that were refused, because no turn of their attempt was under way. */
async function addLateCalls(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable("run")
    .addColumn("late_calls", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}

/** The slice that an attempt was claimed from: the slices of a dead worker are returned with its attempts. */
async function addSlices(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("attempt").addColumn("slice", "text").execute();
}
