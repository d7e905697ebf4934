import { DatabaseSync } from "node:sqlite";
import { Kysely, type ControlledTransaction } from "kysely";
import type { Database } from "../database.ts";
import { appliedMigrations, isUpToDate, migrate } from "../migrate.ts";
import type { RanOutOfMemory } from "../leases/worker-processes.ts";
import type { Tables } from "../schema.ts";
import { watchPlace } from "./file-place.ts";
import { createGroupCommit } from "./group-commit.ts";
import { inspectFile, toStoreFileError } from "./sqlite-file.ts";
import { backUp } from "./sqlite-backup.ts";
import { freeIfAlone } from "./sole-user.ts";
import { createSqliteReader } from "./sqlite-reader.ts";
import { sqliteReaderDialect } from "./sqlite-reader-dialect.ts";
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
