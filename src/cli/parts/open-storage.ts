import { join } from "node:path";
import { openSqlite, type OpenedStorage } from "../../storage/drivers/open-sqlite.ts";
import type { Settings } from "../../settings.ts";

/** The storage the operator chose: a file in the data folder, or PostgreSQL. */
export async function openStorage(
  { databaseUrl, dataDir, runs }: Settings,
  { onError }: { onError: (error: unknown) => void },
): Promise<OpenedStorage> {
  const url = databaseUrl?.reveal();
  if (url === undefined || url.startsWith("sqlite:")) {
    const file = url?.replace(/^sqlite:(?:\/\/)?/, "") ?? join(dataDir, "rehearsal.db");
    return openSqlite({ file, leaseMs: runs.leaseMs, onError });
  }
  // Loaded only here: one machine needs neither the client nor the queue.
  const { openPostgres } = await import("../../storage/drivers/open-postgres.ts");
  return openPostgres({ url, onError });
}
