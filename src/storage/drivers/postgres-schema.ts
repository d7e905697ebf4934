import { sql, type Transaction } from "kysely";
import { appliedMigrations, isUpToDate, migrate, unknownMigrations } from "../migrate.ts";
import type { Tables } from "../schema.ts";
import { codes } from "./postgres-error.ts";
import { StoreFileError } from "../store-file-error.ts";

const oldestServer = 140_000;
/** Any number, as long as every version of this program uses the same: processes that start together queue behind it. */
const startLock = 7_245_100;

/** Brings the schema up to date in a transaction that holds the start lock. Refuses a database that is not for us. */
export async function preparePostgres(transaction: Transaction<Tables>): Promise<void> {
  // It may have to wait here for another process, and then for pg-boss to make its tables.
  await sql`set local idle_in_transaction_session_timeout = 120000`.execute(transaction);
  await sql`select pg_advisory_xact_lock(${startLock})`.execute(transaction);
  const { rows } = await sql<Place>`
    select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding,
      current_database() as name, current_user as role, current_setting('transaction_read_only') = 'on' as read_only,
      coalesce(has_schema_privilege(current_schema(), 'create'), false) as may_make_tables,
      to_regnamespace('pgboss') is not null or has_database_privilege(current_database(), 'create') as may_have_queue
    `.execute(transaction);
  const place = rows[0]!;
  const { version, encoding, name } = place;
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
  const complete = isUpToDate(applied);
  if ((!complete && !place.may_make_tables) || !place.may_have_queue) throw powerless(place);
  // Were it left to the server to refuse, kysely would keep the reason to itself.
  if (!complete && place.read_only) throw readOnly(place);
  if (!complete) await migrate(transaction);
}

interface Place {
  readonly version: string;
  readonly encoding: string;
  readonly name: string;
  readonly role: string;
  readonly read_only: boolean;
  readonly may_make_tables: boolean;
  readonly may_have_queue: boolean;
}

/** As the server says it: in a failover another one may take writes a moment later. */
function readOnly({ name }: Place): Error {
  return Object.assign(new Error(`The database "${name}" takes no writes`), { code: codes.readOnly });
}

function powerless({ name, role }: Place): StoreFileError {
  return new StoreFileError(
    `The role "${role}" may not make tables and schemas in the database "${name}": make it the owner (alter database "${name}" owner to "${role}") or grant it create on both.`,
  );
}
