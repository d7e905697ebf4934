import { open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { backup, type DatabaseSync } from "node:sqlite";
import { StoreFileError } from "../store-file-error.ts";
import { toStoreFileError } from "./sqlite-file.ts";

/** Pages copied between two turns of the event loop: a few milliseconds. */
const pagesAtOnce = 500;

/**
 * Copies through the connection that writes, so that its own writes are carried over instead of starting the copy anew.
 * The file appears under its name only when it is whole and on the disk.
 */
export async function backUp(connection: DatabaseSync, file: string): Promise<void> {
  if (await stat(file).catch(() => null)) {
    throw new StoreFileError(`The file ${file} exists already. A backup never overwrites one.`);
  }
  const partial = `${file}.partial`;
  try {
    await rm(partial, { force: true });
    await backup(connection, partial, { rate: pagesAtOnce });
    await sync(partial);
    await rename(partial, file);
    await sync(dirname(file));
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    throw toStoreFileError(file, error);
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
