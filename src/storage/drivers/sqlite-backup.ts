import { randomUUID } from "node:crypto";
import { open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { StoreFileError } from "../tables/database.ts";
import { copyPages, openConnection } from "./sqlite-connection.ts";
import { withFileErrors, createPrivateFile, toStoreFileError } from "./sqlite-file.ts";

/** Copies a database that is in memory only. */
export async function backUpMemory(connection: DatabaseSync, file: string): Promise<void> {
  return writeAtomically(file, (partial) => copyPages(connection, partial));
}

/**
 * Copies a consistent snapshot of a database file that others have open, while reads and writes continue. Rejects with a `StoreFileError` on failure.
 */
export async function copyDatabase(source: string, file: string): Promise<void> {
  if (!(await stat(source).catch(() => null))) throw new StoreFileError(`There is no database ${source}.`);
  await writeAtomically(file, async (partial) => {
    const connection = openBackupSource(source);
    try {
      await copyPages(connection, partial);
    } finally {
      connection.close();
    }
  });
}

/**
 * A separate connection, so that the copy blocks no query. Reads once, so that a problem of the source is not reported
 * as one of the copy.
 */
function openBackupSource(source: string): DatabaseSync {
  return withFileErrors(source, () => {
    const connection = openConnection(source, { readOnly: true, timeoutMs: 5_000 });
    try {
      connection.prepare("select count(*) from sqlite_master").get();
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  });
}

/** The file appears under its name only when it is complete and on the disk. An existing file is never overwritten. */
async function writeAtomically(file: string, write: (partial: string) => Promise<void>): Promise<void> {
  const partial = `${file}.${randomUUID()}.partial`;
  try {
    await refuseExisting(file);
    // Backups contain conversations: private from the first byte, whatever the folder.
    await createPrivateFile(partial);
    await write(partial);
    await sync(partial);
    await refuseExisting(file);
    await rename(partial, file);
    await sync(dirname(file));
  } catch (error) {
    // On a full disk SQLite cannot roll back and leaves its journal too.
    for (const left of [partial, `${partial}-journal`]) await rm(left, { force: true }).catch(() => {});
    throw toStoreFileError(file, error);
  }
}

async function refuseExisting(file: string): Promise<void> {
  if (!(await stat(file).catch(() => null))) return;
  throw new StoreFileError(`The file ${file} already exists. A backup never overwrites a file.`);
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
