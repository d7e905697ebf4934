import { hostname } from "node:os";
import type { Queue } from "../../contract/queue.ts";
import type { Store } from "../../contract/store.ts";
import { systemClock, type Clock } from "../clock.ts";
import { createStore } from "../create-store.ts";
import { createLeaseQueue } from "../leases/create-lease-queue.ts";
import { createWorkSignal } from "../leases/work-signal.ts";
import { openSqliteDatabase, type SqliteDatabaseOptions } from "./sqlite-database.ts";

/** `file` is the path of the database, made if it is missing; `:memory:` keeps everything in memory. */
export interface SqliteOptions extends SqliteDatabaseOptions {
  readonly leaseMs?: number;
  readonly clock?: Clock;
  readonly host?: string;
  readonly pid?: number;
}

export interface OpenedStorage extends AsyncDisposable {
  readonly store: Store;
  readonly queue: Queue;
  close(): Promise<void>;
}

/**
 * The embedded storage: store and queue on one database file that several processes of one host may share.
 * Rejects with a `StoreFileError` when the file cannot be used.
 */
export async function openSqlite({
  leaseMs = 15_000,
  clock = systemClock,
  host = hostname(),
  pid = process.pid,
  ...options
}: SqliteOptions): Promise<OpenedStorage> {
  const database = await openSqliteDatabase(options);
  const work = createWorkSignal(database, clock);
  const close = async (): Promise<void> => {
    work.stop();
    await database.close();
  };
  return {
    store: createStore({ database, clock, onWork: work.announce, close }),
    queue: createLeaseQueue({ database, clock, leaseMs, work, host, pid }),
    close,
    [Symbol.asyncDispose]: close,
  };
}
