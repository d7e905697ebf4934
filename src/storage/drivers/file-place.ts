import { statSync } from "node:fs";
import { ServiceError } from "../../contract/errors.ts";

/**
 * Makes what throws once the file of an open database is no longer at its place. An open file outlives its name: whatever is written
 * from then on is gone with the last process that has it open. SQLite looks for that itself, but not with a write-ahead log.
 */
export function watchPlace(file: string): () => void {
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
