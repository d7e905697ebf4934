import { sql, type Transaction } from "kysely";
import { appliedMigrations, isUpToDate, migrate, unknownMigrations } from "../migrate.ts";
import type { Tables } from "../schema.ts";
import { StoreFileError } from "../store-file-error.ts";

const oldestServer = 140_000;
/** Any number, as long as every version of this program uses the same: processes that start together queue behind it. */
export const startLock = 7_245_100;

/** Brings the schema up to date in a transaction that holds the start lock. Refuses a database that is not for us. */
export async function preparePostgres(transaction: Transaction<Tables>): Promise<void> {
  // It may have to wait here for another process, and then for pg-boss to make its tables.
  await sql`set local idle_in_transaction_session_timeout = 120000`.execute(transaction);
  await sql`select pg_advisory_xact_lock(${startLock})`.execute(transaction);
  const { rows } = await sql<{ version: string; encoding: string; name: string }>`
    select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding,
      current_database() as name`.execute(transaction);
  const { version = "0", encoding, name } = rows[0] ?? {};
  if (Number(version) < oldestServer) {
    throw new StoreFileError(
      `The database "${name}" is on a server that is too old. PostgreSQL 14 or newer is needed.`,
    );
  }
  if (encoding !== "UTF8") {
    throw new StoreFileError(`The database "${name}" is encoded as ${encoding}. Make one with encoding UTF8.`);
  }
  const applied = await appliedMigrations(transaction);
  const [unknown] = unknownMigrations(applied);
  if (unknown !== undefined) {
    throw new StoreFileError(
      `The database "${name}" was made by a newer version (it has "${unknown}"). Install that version or use another database; this one was left as it is.`,
    );
  }
  if (!isUpToDate(applied)) await migrate(transaction);
}
