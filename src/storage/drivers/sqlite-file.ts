import { randomUUID } from "node:crypto";
import { access, constants, copyFile, link, mkdir, open, rm, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { refusalOf } from "../migrations/migrate.ts";
import { StoreFileError } from "../tables/database.ts";
import { openConnection } from "./sqlite-connection.ts";
import { describeFileProblem } from "./sqlite-error.ts";

/** Network file systems by statfs type: NFS, SMB and CIFS. Their locks do not keep two writers apart. */
const networkTypes: ReadonlySet<number> = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42]);

/** Larger files are not checked completely at every start; damage shows when the page is read. */
const largestFullCheck = 16 * 1024 * 1024;

/**
 * Checks the file before anything writes to it: a damaged, foreign or newer file is refused and left unchanged. A
 * missing file is created.
 */
export async function checkDatabaseFile(file: string): Promise<void> {
  await prepareFolder(file);
  const found = await stat(file).catch(() => null);
  if (found && !found.isFile()) throw new StoreFileError(`The database ${file} is not a file.`);
  if (!found) return createDatabase(file);
  if (found.size === 0) {
    throw new StoreFileError(
      `The database ${file} is empty, as after an interrupted copy. Restore it from a backup, or delete it to start with an empty store. It was not changed.`,
    );
  }
  await refuseReadOnly(file);
  withFileErrors(file, () => {
    // Read-only, so that closing it runs no checkpoint.
    const database = openConnection(file, { readOnly: true, timeoutMs: 5_000 });
    try {
      checkContent(file, database, found.size);
    } finally {
      database.close();
    }
  });
}

/**
 * Creates a database without tables. It appears under its name only when complete, so that an empty file always means
 * lost data, even after a crash or with concurrent starts.
 */
async function createDatabase(file: string): Promise<void> {
  const partial = `${file}.${randomUUID()}.partial`;
  try {
    await createPrivateFile(partial);
    withFileErrors(file, () => {
      const database = openConnection(partial, { timeoutMs: 0 });
      try {
        database.exec("pragma journal_mode = wal");
      } finally {
        database.close();
      }
    });
    // Not every file system has links. Neither call overwrites a file that another process has created meanwhile.
    await link(partial, file).catch(() => copyFile(partial, file, constants.COPYFILE_EXCL));
  } catch (error) {
    if (error instanceof StoreFileError) throw error;
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    throw new StoreFileError(`The database ${file} cannot be created.`, { cause: error });
  } finally {
    for (const left of [partial, `${partial}-journal`]) await rm(left, { force: true }).catch(() => {});
  }
}

/**
 * Creates a file only its owner can read, even in an existing folder that is open to others. SQLite gives its side
 * files the same mode. Errors are ignored: SQLite meets them too and reports them.
 */
export async function createPrivateFile(file: string): Promise<void> {
  await open(file, "a", 0o600).then(
    (made) => made.close(),
    () => {},
  );
}

/** Runs `work` and turns SQLite errors about the file into one line that names it. */
export function withFileErrors<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw toStoreFileError(file, error);
  }
}

export function toStoreFileError(file: string, error: unknown): unknown {
  const problem = describeFileProblem(error);
  if (!problem) return error;
  return new StoreFileError(`The database ${file} ${problem}. It was not changed.`, { cause: error });
}

/** SQLite opens a read-only file silently and fails at the first write. */
async function refuseReadOnly(file: string): Promise<void> {
  try {
    await access(file, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw new StoreFileError(`The database ${file} cannot be read and written by this user. It was not changed.`, {
      cause: error,
    });
  }
}

function checkContent(file: string, database: DatabaseSync, size: number): void {
  const tables = database.prepare("select name from sqlite_master where type = 'table'").all();
  const names = tables.map((table) => String(table["name"]));
  if (names.length > 0 && !names.includes("kysely_migration")) {
    throw new StoreFileError(`The database ${file} belongs to another program. It was not changed.`);
  }
  if (names.length > 0) refuseOtherVersions(file, database);
  if (size <= largestFullCheck) refuseDamaged(file, database);
}

function refuseOtherVersions(file: string, database: DatabaseSync): void {
  const applied = database.prepare("select name from kysely_migration order by name").all();
  const refusal = refusalOf(applied.map((row) => String(row["name"])));
  if (refusal !== null) throw new StoreFileError(`The database ${file} ${refusal}`);
}

function refuseDamaged(file: string, database: DatabaseSync): void {
  const result = database.prepare("pragma quick_check(1)").get();
  if (result?.["quick_check"] === "ok") return;
  throw new StoreFileError(`The database ${file} is damaged. It was not changed.`, { cause: result });
}

async function prepareFolder(file: string): Promise<void> {
  const folder = dirname(file);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StoreFileError(`The folder ${folder} for the database cannot be created.`, { cause: error });
  }
  const { type } = await statfs(folder);
  if (!networkTypes.has(type)) return;
  throw new StoreFileError(
    `The folder ${folder} is on a network file system, where SQLite is not safe. Use a local disk, or PostgreSQL.`,
  );
}
