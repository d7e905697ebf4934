import type { Kysely } from "kysely";

/** Whoever scores a run again shows that it lives as all processes do (`presence.ts`), and needs no lease of its own for it. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable("run_rescoring").dropColumn("lease_until").execute();
}
