import { sql } from "kysely";
import type { Reader, Writer } from "../database.ts";

/** The database's clock, by which pg-boss judges heartbeats and delays, in milliseconds since 1970. */
export const databaseNow = sql<number>`floor(extract(epoch from pgboss.job_now()) * 1000)::bigint`;

export async function readNow(reader: Reader): Promise<number> {
  const { rows } = await sql<{ now: number }>`select ${databaseNow} as now`.execute(reader);
  return rows[0]!.now;
}

/** For what may be lost in a crash of the server: the transaction does not wait for the disk, unless it says so later. */
export async function readNowUnhurried(writer: Writer): Promise<number> {
  const { rows } = await sql<{ now: number }>`
    select ${databaseNow} as now, set_config('synchronous_commit', 'off', true)`.execute(writer);
  return rows[0]!.now;
}

/** What this transaction promised to someone must survive a crash of the server after all. */
export async function waitForDisk(writer: Writer): Promise<void> {
  await sql`select set_config('synchronous_commit', 'on', true)`.execute(writer);
}
