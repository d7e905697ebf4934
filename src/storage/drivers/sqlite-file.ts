import { randomUUID } from "node:crypto";
import { access, constants, copyFile, link, mkdir, open, rm, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { unknownMigrations } from "../migrate.ts";
import { StoreFileError } from "../store-file-error.ts";
import { describeFileProblem } from "./sqlite-error.ts";

/** File systems over a network by their statfs type: NFS, SMB and CIFS. Their locks do not keep two writers apart. */
const networkTypes: ReadonlySet<number> = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42]);

/** Larger files are not read through at every start; damage in them shows when the page is read. */
const largestFullCheck = 16 * 1024 * 1024;

/**
 * Looks at the file before anything may write to it: a file that is damaged, foreign or made by a newer version is
 * refused and left exactly as it is. A missing file is made.
 */
export async function inspectFile(file: string): Promise<void> {
  await prepareFolder(file);
  const found = await stat(file).catch(() => null);
  if (found && !found.isFile()) throw new StoreFileError(`The database ${file} is not a file.`);
  if (!found) return makeDatabase(file);
  if (found.size === 0) {
    throw new StoreFileError(
      `The database ${file} is empty, as after a copy that broke off. Restore it from a backup, or remove it to begin with an empty store; it was left as it is.`,
    );
  }
  await refuseReadOnly(file);
  explainingProblems(file, () => {
    // Read-only, so that closing it does not move pending pages into the file.
    const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    try {
      checkContent(file, database, found.size);
    } finally {
      database.close();
    }
  });
}

/**
 * Makes a database without tables. It comes to its place whole, so that an empty file there always means that something was lost,
 * even if this process is killed or others start at the same moment.
 */
async function makeDatabase(file: string): Promise<void> {
  const partial = `${file}.${randomUUID()}.partial`;
  try {
    await makePrivate(partial);
    explainingProblems(file, () => {
      const database = new DatabaseSync(partial);
      try {
        database.exec("pragma journal_mode = wal");
      } finally {
        database.close();
      }
    });
    // Not every file system has links. Neither of the two overwrites what another process has made meanwhile.
    await link(partial, file).catch(() => copyFile(partial, file, constants.COPYFILE_EXCL));
  } catch (error) {
    if (error instanceof StoreFileError) throw error;
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    throw new StoreFileError(`The database ${file} cannot be made.`, { cause: error });
  } finally {
    for (const left of [partial, `${partial}-journal`]) await rm(left, { force: true }).catch(() => {});
  }
}

/**
 * Conversations are for their owner, also in a folder that was there before and is open to others. SQLite gives the files beside
 * it the same rights. What cannot be made here, SQLite cannot make either, and says why.
 */
export async function makePrivate(file: string): Promise<void> {
  await open(file, "a", 0o600).then(
    (made) => made.close(),
    () => {},
  );
}

/** Runs `work` and turns what SQLite says about the file into one line that names it. */
export function explainingProblems<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw toStoreFileError(file, error);
  }
}

export function toStoreFileError(file: string, error: unknown): unknown {
  const problem = describeFileProblem(error);
  if (!problem) return error;
  return new StoreFileError(`The database ${file} ${problem}. It was left as it is.`, { cause: error });
}

/** SQLite opens a read-only file without a word and fails at the first write. */
async function refuseReadOnly(file: string): Promise<void> {
  try {
    await access(file, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw new StoreFileError(`The database ${file} may not be read and written by this user. It was left as it is.`, {
      cause: error,
    });
  }
}

function checkContent(file: string, database: DatabaseSync, size: number): void {
  const tables = database.prepare("select name from sqlite_master where type = 'table'").all();
  const names = tables.map((table) => String(table["name"]));
  if (names.length > 0 && !names.includes("kysely_migration")) {
    throw new StoreFileError(`The database ${file} belongs to another program. It was left as it is.`);
  }
  if (names.length > 0) refuseNewer(file, database);
  if (size <= largestFullCheck) refuseDamaged(file, database);
}

function refuseNewer(file: string, database: DatabaseSync): void {
  const applied = database.prepare("select name from kysely_migration").all();
  const [unknown] = unknownMigrations(applied.map((row) => String(row["name"])));
  if (unknown === undefined) return;
  throw new StoreFileError(
    `The database ${file} was made by a newer version (it has "${unknown}"). Install that version or use another file; this one was left as it is.`,
  );
}

function refuseDamaged(file: string, database: DatabaseSync): void {
  const result = database.prepare("pragma quick_check(1)").get();
  if (result?.["quick_check"] === "ok") return;
  throw new StoreFileError(`The database ${file} is damaged. It was left as it is.`, { cause: result });
}

async function prepareFolder(file: string): Promise<void> {
  const folder = dirname(file);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StoreFileError(`The folder ${folder} for the database cannot be made.`, { cause: error });
  }
  const { type } = await statfs(folder);
  if (!networkTypes.has(type)) return;
  throw new StoreFileError(
    `The folder ${folder} is on a network file system, where SQLite is not safe. Use a local disk, or PostgreSQL.`,
  );
}
