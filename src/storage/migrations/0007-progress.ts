import { sql, type Kysely } from "kysely";

const counts = ["attempts_done", "interactions_done", "interactions_failed"] as const;

/** How far a run has come, beside the number of its last turn: a row that every turn rewrites anyway. */
export async function up(database: Kysely<unknown>): Promise<void> {
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
