import { mkdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Settings } from "../../settings.ts";
import { StoreFileError } from "../../storage/tables/database.ts";
import type { PostgresOptions } from "../../storage/drivers/open-postgres.ts";
import { openSqlite, type OpenedStorage } from "../../storage/drivers/open-sqlite.ts";
import { restartOf } from "../process/supervised.ts";
import { readMemoryNotes } from "../process/memory-notes.ts";

interface OpenStorageOptions extends Pick<PostgresOptions, "startMs" | "onWait"> {
  readonly onError: (error: unknown) => void;
}

/** Opens the store from the settings: a file in the data folder, or PostgreSQL. */
export async function openStorage(
  settings: Settings,
  { onError, startMs, onWait }: OpenStorageOptions,
): Promise<OpenedStorage> {
  const file = storeFile(settings);
  const { leaseMs, idempotencyHours } = settings.runs;
  const ranOutOfMemory = readMemoryNotes(settings.dataDir);
  const stoodStill = new Set(restartOf()?.broken);
  const brokeDown = (worker: string): boolean => stoodStill.has(worker) || ranOutOfMemory(worker);
  const common = { answersMs: idempotencyHours * 3_600_000, brokeDown, onError };
  if (file !== null) return openSqlite({ file, leaseMs, ...common });
  // Loaded on demand: the embedded store needs neither the PostgreSQL client nor its queue.
  const { openPostgres } = await import("../../storage/drivers/open-postgres.ts");
  return openPostgres({
    url: settings.databaseUrl?.reveal() ?? "",
    heartbeatSeconds: leaseMs / 1_000,
    perRun: settings.concurrency.perRun,
    startMs,
    onWait,
    ...common,
  });
}

/** The file of the embedded store; null with PostgreSQL. */
export function storeFile({ databaseUrl, dataDir }: Settings): string | null {
  const url = databaseUrl?.reveal();
  if (url === undefined) return join(dataDir, "rehearsal.db");
  return url.startsWith("sqlite:") ? url.replace(/^sqlite:(?:\/\/)?/, "") : null;
}

/** Creates the folder for runs and keys, readable only by its owner. */
export async function createDataFolder(path: string): Promise<void> {
  await createFolder(resolve(path)).catch((cause: NodeJS.ErrnoException) => {
    throw new StoreFileError(`REHEARSAL_DATA_DIR ${path} cannot be created (${cause.code ?? "unknown reason"})`, {
      cause,
    });
  });
}

/** Node's recursive `mkdir` never returns where no folder can be created, such as in /proc. */
async function createFolder(path: string): Promise<void> {
  if (await isFolder(path)) return;
  const above = dirname(path);
  if (above !== path) await createFolder(above);
  await mkdir(path, { mode: 0o700 }).catch(async (error: unknown) => {
    // Another process that starts at the same moment may have created it.
    if (!(await isFolder(path))) throw error;
  });
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
