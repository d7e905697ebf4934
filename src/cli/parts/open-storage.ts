import { join } from "node:path";
import type { PostgresOptions } from "../../storage/drivers/open-postgres.ts";
import { openSqlite, type OpenedStorage } from "../../storage/drivers/open-sqlite.ts";
import type { Settings } from "../../settings.ts";
import { readMemoryNotes } from "./memory-notes.ts";

interface OpenStorageOptions extends Pick<PostgresOptions, "startMs" | "onWait"> {
  readonly onError: (error: unknown) => void;
}

/** The storage the operator chose: a file in the data folder, or PostgreSQL. */
export async function openStorage(
  settings: Settings,
  { onError, startMs, onWait }: OpenStorageOptions,
): Promise<OpenedStorage> {
  const file = storeFile(settings);
  const { leaseMs, idempotencyHours } = settings.runs;
  const ranOutOfMemory = readMemoryNotes(settings.dataDir);
  const common = { answersMs: idempotencyHours * 3_600_000, ranOutOfMemory, onError };
  if (file !== null) return openSqlite({ file, leaseMs, ...common });
  // Loaded only here: one machine needs neither the client nor the queue.
  const { openPostgres } = await import("../../storage/drivers/open-postgres.ts");
  return openPostgres({
    url: settings.databaseUrl?.reveal() ?? "",
    heartbeatSeconds: leaseMs / 1_000,
    startMs,
    onWait,
    ...common,
  });
}

/** The file of the embedded store; null when the operator chose PostgreSQL. */
export function storeFile({ databaseUrl, dataDir }: Settings): string | null {
  const url = databaseUrl?.reveal();
  if (url === undefined) return join(dataDir, "rehearsal.db");
  return url.startsWith("sqlite:") ? url.replace(/^sqlite:(?:\/\/)?/, "") : null;
}
