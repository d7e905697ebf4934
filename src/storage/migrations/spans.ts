import type { Kysely } from "kysely";

/** What the ids of a run's traces are made from, and the spans that agents have sent. Earlier runs have no traces. */
export async function createSpans(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("run").addColumn("trace_prefix", "text").execute();
  await database.schema.alterTable("run").addColumn("trace_secret", "text").execute();
  await database.schema
    .alterTable("run")
    .addColumn("spans_seen", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  await database.schema
    .alterTable("run")
    .addColumn("late_spans", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  await database.schema.createIndex("run_trace").on("run").columns(["trace_prefix"]).execute();
  await database.schema
    .createTable("run_span")
    .addColumn("run_id", "text", (column) => column.notNull().references("run.id").onDelete("cascade"))
    .addColumn("trace_id", "text", (column) => column.notNull())
    .addColumn("span_id", "text", (column) => column.notNull())
    .addColumn("part", "text", (column) => column.notNull())
    .addColumn("size", "integer", (column) => column.notNull())
    .addColumn("received_at", "bigint", (column) => column.notNull())
    .addColumn("span", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("run_span_key", ["run_id", "trace_id", "span_id", "part"])
    .execute();
}
