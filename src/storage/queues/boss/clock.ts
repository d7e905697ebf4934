import { sql } from "kysely";
import type { Reader, Writer } from "../../tables/database.ts";

/** The clock of leases and delays, in milliseconds since 1970: when the transaction began. */
export const databaseNow = sql<number>`floor(extract(epoch from now()) * 1000)::bigint`;

export async function readNow(reader: Reader): Promise<number> {
  const { rows } = await sql<{ now: number }>`select ${databaseNow} as now`.execute(reader);
  return rows[0]!.now;
}

/**
 * For data that may be lost in a server crash: the transaction does not wait for the disk, unless
 * `requireDurableCommit` is called later.
 */
export async function readNowAsyncCommit(writer: Writer): Promise<number> {
  const { rows } = await sql<{ now: number }>`
    select ${databaseNow} as now, set_config('synchronous_commit', 'off', true)`.execute(writer);
  return rows[0]!.now;
}

/** Makes the transaction wait for the disk after all, because its result must survive a server crash. */
export async function requireDurableCommit(writer: Writer): Promise<void> {
  await sql`select set_config('synchronous_commit', 'on', true)`.execute(writer);
}

/** The wall clock of the database, also within a transaction. */
export async function readWallClock(reader: Reader): Promise<number> {
  const { rows } = await sql<{ now: number }>`
    select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(reader);
  return rows[0]!.now;
}

/** The wall clock of the database. Hosts with different clocks agree on when a run began. */
interface DatabaseClock {
  now(): number;
  /** Compares the clock of this host with that of the database. */
  sync(): Promise<void>;
}

/** Uses the clock of this host until the first `sync`, and its offset to the database after that. */
export function createDatabaseClock(read: () => Promise<number>, now: () => number = Date.now): DatabaseClock {
  let offset = 0;

  return {
    now: () => now() + offset,
    async sync() {
      const before = now();
      const there = await read();
      const after = now();
      // The database read its clock at some time in between. If the clocks can agree, they do: half of a slow answer would be a
      // difference between processes of one host, and a turn would seem to be stored before it was asked.
      offset = before <= there && there <= after ? 0 : Math.round(there - (before + after) / 2);
    },
  };
}
