import { randomUUID } from "node:crypto";
import { open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { StoreFileError } from "../store-file-error.ts";
import { explainingProblems, makePrivate, toStoreFileError } from "./sqlite-file.ts";

/** All pages in one step, off the main thread: copied in several, it would begin anew whenever another process writes. */
const allPages = 2 ** 31 - 1;

/** Copies an open database as it is at one moment, while this and other processes go on reading and writing. */
export async function backUp(connection: DatabaseSync, file: string): Promise<void> {
  const location = connection.location();
  if (location !== null) return copyDatabase(location, file);
  return writeWhole(file, (partial) => copyPages(connection, partial));
}

/** The same for a database file that others may have open. Rejects with a `StoreFileError` when that cannot be done. */
export async function copyDatabase(source: string, file: string): Promise<void> {
  if (!(await stat(source).catch(() => null))) throw new StoreFileError(`There is no database ${source}.`);
  await writeWhole(file, async (partial) => {
    const connection = openSource(source);
    try {
      await copyPages(connection, partial);
    } finally {
      connection.close();
    }
  });
}

/** A connection of its own, so that nobody waits for a step of the copy. Read from once: what is wrong with it is not told of the copy. */
function openSource(source: string): DatabaseSync {
  return explainingProblems(source, () => {
    const connection = new DatabaseSync(source, { readOnly: true, timeout: 5_000 });
    try {
      connection.prepare("select count(*) from sqlite_master").get();
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  });
}

async function copyPages(connection: DatabaseSync, file: string): Promise<void> {
  await backup(connection, file, { rate: allPages });
}

/** The file appears under its name only when it is whole and on the disk. One that is there is never overwritten. */
async function writeWhole(file: string, write: (partial: string) => Promise<void>): Promise<void> {
  const partial = `${file}.${randomUUID()}.partial`;
  try {
    await refuseExisting(file);
    // It holds conversations: as private as the store from its first byte on, wherever it is.
    await makePrivate(partial);
    await write(partial);
    await sync(partial);
    await refuseExisting(file);
    await rename(partial, file);
    await sync(dirname(file));
  } catch (error) {
    // On a full disk SQLite cannot even take back what it has begun, and leaves its journal too.
    for (const left of [partial, `${partial}-journal`]) await rm(left, { force: true }).catch(() => {});
    throw toStoreFileError(file, error);
  }
}

async function refuseExisting(file: string): Promise<void> {
  if (!(await stat(file).catch(() => null))) return;
  throw new StoreFileError(`The file ${file} exists already. A backup never overwrites one.`);
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
