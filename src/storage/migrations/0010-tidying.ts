import { sql, type Kysely } from "kysely";

/** What tidying looks for every minute: runs that ended long ago, and Idempotency-Keys that may be used again. */
export async function up(database: Kysely<unknown>): Promise<void> {
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
