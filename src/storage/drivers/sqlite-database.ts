import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import {
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  type CompiledQuery,
  type ControlledTransaction,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from "kysely";
import { ServiceError } from "../../contract/errors.ts";
import type { Database } from "../database.ts";
import type { RanOutOfMemory } from "../leases/worker-processes.ts";
import { appliedMigrations, isUpToDate, migrate } from "../migrate.ts";
import type { Tables } from "../schema.ts";
import { createGroupCommit } from "./group-commit.ts";
import { backUp } from "./sqlite-backup.ts";
import { SqliteCompiler } from "./sqlite-compiler.ts";
import { inspectFile, toStoreFileError } from "./sqlite-file.ts";
import { createSqliteReader, type SqliteReader } from "./sqlite-reader.ts";
import { sqliteDialect } from "./sqlite.ts";
import { blockingTimeoutMs, whileBusy } from "./while-busy.ts";

/** The write-ahead log is cut back to this size after a burst. */
const logBytes = 32 * 1024 * 1024;
/** Pages of the log after which it is moved into the file: pages that change with every commit are moved once for many. */
const pagesBetweenMoves = 2_000;
/** What turns and claims touch lies close together, also in a file of gigabytes: a larger cache saves nothing. */
const cacheKilobytes = 2_048;

export interface SqliteDatabase extends Database {
  /** True once after another connection, of this or another process, has committed something. */
  changedElsewhere(): boolean;
  /** Copies the database, as it is at one moment, into a new file while others go on reading and writing. */
  backup(file: string): Promise<void>;
}

export interface SqliteDatabaseOptions {
  readonly file: string;
  /** How long a write waits for the lock of another process before it fails with `storage_unavailable`. */
  readonly lockTimeoutMs?: number;
  /** What such workers held is not freed here: the queue takes it back in its own way. */
  readonly ranOutOfMemory?: RanOutOfMemory | undefined;
}

/** Opens, checks and migrates a database file, or one in memory for `:memory:`. */
export async function openSqliteDatabase({
  file,
  lockTimeoutMs = 5_000,
  ranOutOfMemory = () => false,
}: SqliteDatabaseOptions): Promise<SqliteDatabase> {
  const inMemory = file === ":memory:";
  if (!inMemory) await inspectFile(file);
  const connection = await openWriter(file, lockTimeoutMs);
  const writer = new Kysely<Tables>({ dialect: sqliteDialect(connection) });
  let readOnly: DatabaseSync | null = null;
  try {
    await whileBusy(() => bringUpToDate(writer), lockTimeoutMs);
    if (!inMemory) {
      freeIfAlone(connection, ranOutOfMemory);
      readOnly = new DatabaseSync(file, { readOnly: true, timeout: lockTimeoutMs });
    }
  } catch (error) {
    connection.close();
    throw toStoreFileError(file, error);
  }
  const thread = inMemory ? null : createSqliteReader({ file, lockTimeoutMs });
  const checkPlace = inMemory ? () => {} : watchPlace(file);
  const begin = async (): Promise<ControlledTransaction<Tables>> => {
    checkPlace();
    return whileBusy(() => writer.startTransaction().execute(), lockTimeoutMs);
  };
  const { write, close } = createGroupCommit({ begin });
  let closing: Promise<void> | null = null;

  return {
    reader: readOnly ? new Kysely({ dialect: sqliteDialect(readOnly) }) : writer,
    longReader: thread ? new Kysely({ dialect: sqliteReaderDialect(thread) }) : undefined,
    write,
    changedElsewhere: watchVersion(connection),
    checkPlace,
    backup: (target) => backUp(connection, target),
    close: () =>
      (closing ??= close().then(async () => {
        await thread?.close();
        // The writer goes last: the connection that closes last tidies the log away.
        readOnly?.close();
        connection.close();
      })),
  };
}

async function openWriter(file: string, lockTimeoutMs: number): Promise<DatabaseSync> {
  try {
    return await whileBusy(
      async () => configure(new DatabaseSync(file, { timeout: blockingTimeoutMs })),
      lockTimeoutMs,
    );
  } catch (error) {
    throw toStoreFileError(file, error);
  }
}

function configure(connection: DatabaseSync): DatabaseSync {
  try {
    connection.exec("pragma journal_mode = wal");
    // Every commit is on the disk before anyone is told of it; sharing commits makes that affordable.
    connection.exec("pragma synchronous = full");
    connection.exec(`pragma journal_size_limit = ${logBytes}`);
    connection.exec(`pragma wal_autocheckpoint = ${pagesBetweenMoves}`);
    connection.exec(`pragma cache_size = -${cacheKilobytes}`);
    // What is deleted is overwritten: its pages would stay readable in the file, and in every backup, until others need them.
    connection.exec("pragma secure_delete = on");
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

async function bringUpToDate(writer: Kysely<Tables>): Promise<void> {
  if (isUpToDate(await appliedMigrations(writer))) return;
  await writer.transaction().execute(migrate);
}

function watchVersion(connection: DatabaseSync): () => boolean {
  const statement = connection.prepare("pragma data_version");
  let seen = statement.get()?.["data_version"];
  return () => {
    const version = statement.get()?.["data_version"];
    const changed = version !== seen;
    seen = version;
    return changed;
  };
}

/**
 * Makes what throws once the file of an open database is no longer at its place. An open file outlives its name: whatever is written
 * from then on is gone with the last process that has it open. SQLite looks for that itself, but not with a write-ahead log.
 */
function watchPlace(file: string): () => void {
  const opened = identityOf(file);
  return () => {
    if (identityOf(file) === opened) return;
    throw new ServiceError(
      "storage_unavailable",
      "The file of the database was removed, moved or replaced while it was in use; nothing is written until it is back or the service has been started again.",
    );
  };
}

/** Null when there is no such file. */
function identityOf(file: string): string | null {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.dev} ${found.ino}` : null;
}

/** kysely on the reader's thread: queries only. */
function sqliteReaderDialect(reader: SqliteReader): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new ReaderDriver(reader),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteCompiler(),
  };
}

class ReaderDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(reader: SqliteReader) {
    this.#connection = {
      async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
        return { rows: (await reader.query(sql, parameters)) as Row[] };
      },
      streamQuery: refuse,
    };
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {}

  beginTransaction = refuse;
  commitTransaction = refuse;
  rollbackTransaction = refuse;

  async destroy(): Promise<void> {}
}

function refuse(): never {
  throw new Error("The reader's thread answers single queries: it neither writes nor keeps a cursor open");
}

/**
 * Frees what processes held that are gone, whoever they were: where nobody else has the file open, nobody else is at work on it.
 * Process ids say so too, but not after a restart of the container or of the host. Comes before any other connection of ours.
 * Left is what was held when memory ran out: that is taken back in another way (`takeBackFromTheDead`).
 */
function freeIfAlone(connection: DatabaseSync, ranOutOfMemory: RanOutOfMemory): void {
  const { held } = connection.prepare(anythingHeld).get() as { held: number };
  // Finding out costs some writes to the disk, so it is left where there is nothing to free.
  if (held === 0) return;
  connection.exec("pragma locking_mode = exclusive");
  try {
    // Only whoever has the file alone can leave the write-ahead log; others who come now wait.
    const mode = connection.prepare("pragma journal_mode = delete").get()?.["journal_mode"];
    if (mode === "delete") free(connection, ranOutOfMemory);
  } catch {
    // Somebody else is there, or the disk is full: leases end by themselves.
    if (connection.isTransaction) connection.exec("rollback");
  } finally {
    connection.exec("pragma locking_mode = normal");
    connection.exec("pragma journal_mode = wal");
    // The lock goes with the first thing that is read.
    connection.prepare(anythingHeld).get();
  }
}

const anythingHeld = `select exists (select 1 from attempt where state = 'running')
  or exists (select 1 from agent_process) as held`;

function free(connection: DatabaseSync, ranOutOfMemory: RanOutOfMemory): void {
  const owners = connection.prepare(ownersOfAttempts).all() as { readonly owner: string }[];
  const left = owners.map(({ owner }) => owner).filter(ranOutOfMemory);
  connection.exec("begin");
  connection.prepare(freeAttempts).run(JSON.stringify(left));
  connection.exec("delete from agent_process; commit");
}

const ownersOfAttempts = `select distinct lease_owner as owner from attempt
  where state = 'running' and lease_owner is not null`;

/** What was under way is ready again, or over where its run is being cancelled. */
const freeAttempts = `update attempt set lease_owner = null, lease_until = null, available_at = 0, state = case
      when exists (select 1 from run where run.id = attempt.run_id and run.state in ('queued', 'running')) then 'ready'
      else 'cancelled' end
    where state = 'running' and (lease_owner is null or lease_owner not in (select value from json_each(?)))`;
