import { mkdir } from "node:fs/promises";
import { StoreFileError } from "../../storage/store-file-error.ts";

/** Makes the folder for runs and keys, which only its owner may look into. */
export async function makeDataFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
    throw new StoreFileError(`REHEARSAL_DATA_DIR ${path} cannot be made (${cause.code ?? "unknown reason"})`, {
      cause,
    });
  });
}
