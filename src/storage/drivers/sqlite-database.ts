import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { Kysely, type ControlledTransaction } from "kysely";
import { ServiceError } from "../../contract/errors/errors.ts";
import type { Database } from "../tables/database.ts";
import type { BrokeDown } from "../tables/host.ts";
import { appliedMigrations, isUpToDate, migrate } from "../migrations/migrate.ts";
import type { Tables } from "../tables/schema.ts";
import { aloneAt } from "../queues/leases/leases.ts";
import { createGroupCommit } from "./group-commit.ts";
import { backUpMemory, copyDatabase } from "./sqlite-backup.ts";
import { openConnection } from "./sqlite-connection.ts";
import { sqliteDialect } from "./sqlite-dialect.ts";
import { checkDatabaseFile, toStoreFileError } from "./sqlite-file.ts";
import { createSqliteReader, sqliteReaderDialect } from "./sqlite-reader.ts";
import { blockingTimeoutMs, retryWhileBusy } from "./sqlite-lock.ts";

/** The write-ahead log is truncated to this size after a burst. */
const walBytes = 32 * 1024 * 1024;
/** Pages of the log before a checkpoint: pages that change with every commit are then written once for many commits. */
const checkpointPages = 2_000;
/**
 * Turns and claims touch pages that lie close together even in a file of gigabytes, so a larger cache saves nothing.
 */
const cacheKilobytes = 2_048;

export interface SqliteDatabase extends Database {
  /** True once after another connection, in this or another process, has committed. */
  changedElsewhere(): boolean;
  /** Copies a consistent snapshot into a new file while reads and writes continue. */
  backup(file: string): Promise<void>;
}

export interface SqliteDatabaseOptions {
  readonly file: string;
  /** How long a write waits for the lock of another process before it fails with `storage_unavailable`. */
  readonly lockTimeoutMs?: number;
  /** Leases of such workers are kept here: the queue reclaims them in its own way. */
  readonly brokeDown?: BrokeDown | undefined;
}

/** Opens, checks and migrates a database file, or one in memory for `:memory:`. */
export async function openSqliteDatabase({
  file,
  lockTimeoutMs = 5_000,
  brokeDown = () => false,
}: SqliteDatabaseOptions): Promise<SqliteDatabase> {
  const inMemory = file === ":memory:";
  if (!inMemory) await checkDatabaseFile(file);
  const connection = await openWriter(file, lockTimeoutMs);
  const writer = new Kysely<Tables>({ dialect: sqliteDialect(connection) });
  let readOnly: DatabaseSync | null = null;
  try {
    await retryWhileBusy(() => migrateIfNeeded(writer), lockTimeoutMs);
    if (!inMemory) {
      releaseLeasesIfExclusive(connection, brokeDown);
      readOnly = openConnection(file, { readOnly: true, timeoutMs: lockTimeoutMs });
    }
  } catch (error) {
    connection.close();
    throw toStoreFileError(file, error);
  }
  const thread = inMemory ? null : createSqliteReader({ file, lockTimeoutMs });
  const checkFile = inMemory ? () => {} : watchFileIdentity(file);
  const begin = async (): Promise<ControlledTransaction<Tables>> => {
    checkFile();
    return retryWhileBusy(() => writer.startTransaction().execute(), lockTimeoutMs);
  };
  const { write, close } = createGroupCommit({ begin });
  let closing: Promise<void> | null = null;

  return {
    reader: readOnly ? new Kysely({ dialect: sqliteDialect(readOnly) }) : writer,
    longReader: thread ? new Kysely({ dialect: sqliteReaderDialect(thread) }) : undefined,
    write,
    changedElsewhere: watchDataVersion(connection),
    checkFile,
    backup: (target) => (inMemory ? backUpMemory(connection, target) : copyDatabase(file, target)),
    close: () =>
      (closing ??= close().then(async () => {
        await thread?.close();
        // The writer closes last: the last connection removes the log.
        readOnly?.close();
        connection.close();
      })),
  };
}

async function openWriter(file: string, lockTimeoutMs: number): Promise<DatabaseSync> {
  try {
    return await retryWhileBusy(
      async () => configure(openConnection(file, { timeoutMs: blockingTimeoutMs })),
      lockTimeoutMs,
    );
  } catch (error) {
    throw toStoreFileError(file, error);
  }
}

function configure(connection: DatabaseSync): DatabaseSync {
  try {
    connection.exec("pragma journal_mode = wal");
    // Commits are durable before they are reported; group commit makes that affordable.
    connection.exec("pragma synchronous = full");
    connection.exec(`pragma journal_size_limit = ${walBytes}`);
    connection.exec(`pragma wal_autocheckpoint = ${checkpointPages}`);
    connection.exec(`pragma cache_size = -${cacheKilobytes}`);
    // Deleted rows are overwritten: they would stay readable in the file and in backups until their pages are reused.
    connection.exec("pragma secure_delete = on");
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

async function migrateIfNeeded(writer: Kysely<Tables>): Promise<void> {
  if (isUpToDate(await appliedMigrations(writer))) return;
  await writer.transaction().execute(migrate);
}

function watchDataVersion(connection: DatabaseSync): () => boolean {
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
 * Returns a check that throws once the open file was moved, removed or replaced: everything written after that is lost
 * when the last process closes it. SQLite detects this itself, but not in WAL mode.
 */
function watchFileIdentity(file: string): () => void {
  const opened = fileIdentity(file);
  return () => {
    if (fileIdentity(file) === opened) return;
    throw new ServiceError(
      "storage_unavailable",
      "The database file was removed, moved or replaced while in use. Nothing is written until it is back or the service is restarted.",
    );
  };
}

/** Null when the file is missing. */
function fileIdentity(file: string): string | null {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.dev} ${found.ino}` : null;
}

/**
 * Releases leases of all dead processes when no other process has the file open. Process ids tell this too, but not
 * after a restart of the container or host. Must run before other connections are opened. Leases of workers that broke
 * down are kept for `reclaimFromDeadWorkers`.
 */
function releaseLeasesIfExclusive(connection: DatabaseSync, brokeDown: BrokeDown): void {
  const { held } = connection.prepare(anythingHeld).get() as { held: number };
  // The check costs disk writes, so it is skipped when there is nothing to release.
  if (held === 0) return;
  connection.exec("pragma locking_mode = exclusive");
  try {
    // Leaving WAL mode succeeds only with exclusive access; other processes wait meanwhile.
    const mode = connection.prepare("pragma journal_mode = delete").get()?.["journal_mode"];
    if (mode === "delete") releaseLeases(connection, brokeDown);
  } catch {
    // Another process has the file open, or the disk is full: leases expire by themselves.
    if (connection.isTransaction) connection.exec("rollback");
  } finally {
    connection.exec("pragma locking_mode = normal");
    connection.exec("pragma journal_mode = wal");
    // The exclusive lock is released by the first read.
    connection.prepare(anythingHeld).get();
  }
}

const anythingHeld = `select exists (select 1 from attempt where state = 'running')
  or exists (select 1 from agent_process) as held`;

function releaseLeases(connection: DatabaseSync, brokeDown: BrokeDown): void {
  const owners = connection.prepare(ownersOfAttempts).all() as { readonly owner: string }[];
  const left = owners.map(({ owner }) => owner).filter(brokeDown);
  connection.exec("begin");
  connection.prepare(releaseAttempts).run(JSON.stringify(left));
  connection.exec("delete from agent_process; commit");
}

const ownersOfAttempts = `select distinct lease_owner as owner from attempt
  where state = 'running' and lease_owner is not null`;

/** Running attempts become ready again, or cancelled if their run is being cancelled. */
const releaseAttempts = `update attempt set lease_owner = null, lease_until = null,
    available_at = case when available_at <= ${aloneAt} then available_at else 0 end, state = case
      when exists (select 1 from run where run.id = attempt.run_id and run.state in ('queued', 'running')) then 'ready'
      else 'cancelled' end
    where state = 'running' and (lease_owner is null or lease_owner not in (select value from json_each(?)))`;
