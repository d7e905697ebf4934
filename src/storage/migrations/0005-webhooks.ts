import { sql, type Kysely } from "kysely";

/** What is still to be told about a run that has ended, and to whom it was told. */
export async function up(database: Kysely<unknown>): Promise<void> {
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
