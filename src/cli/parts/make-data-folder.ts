import { mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { StoreFileError } from "../../storage/database.ts";

/** Makes the folder for runs and keys, which only its owner may look into. */
export async function makeDataFolder(path: string): Promise<void> {
  await makeFolder(resolve(path)).catch((cause: NodeJS.ErrnoException) => {
    throw new StoreFileError(`REHEARSAL_DATA_DIR ${path} cannot be made (${cause.code ?? "unknown reason"})`, {
      cause,
    });
  });
}

/** Node's own way to make what is missing above a folder tries for ever where none can be made, as in /proc. */
async function makeFolder(path: string): Promise<void> {
  if (await isFolder(path)) return;
  const above = dirname(path);
  if (above !== path) await makeFolder(above);
  await mkdir(path, { mode: 0o700 }).catch(async (error: unknown) => {
    // Another process that starts at the same moment makes it too.
    if (!(await isFolder(path))) throw error;
  });
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
