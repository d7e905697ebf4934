import type { StoredKey } from "../../contract/ports/api-keys.ts";
import { systemClock } from "../clock.ts";
import { copyStore, type Copied, type CopyOptions } from "../copy-store.ts";
import type { Database } from "../database.ts";
import { furthestLease } from "../leases/lease-time.ts";
import { thisHost } from "../leases/this-host.ts";
import { isDeadWorker } from "../leases/worker-processes.ts";
import { createPresence } from "../presence.ts";
import { createKeyRecords } from "../queries/key-records.ts";
import { running } from "../queries/states.ts";
import { StoreFileError } from "../store-file-error.ts";
import { openPostgresParts } from "./postgres-parts.ts";
import { openSqliteDatabase } from "./sqlite-database.ts";

interface MoveOptions extends Pick<CopyOptions, "onRun"> {
  readonly file: string;
  readonly url: string;
  /** How long a silent worker of the file keeps an attempt. */
  readonly leaseMs?: number;
  /** The API keys of the data folder. */
  readonly keys?: readonly StoredKey[];
}

/**
 * Copies an embedded database and the API keys beside it over to PostgreSQL and queues what is unfinished there. The file is not changed. Rejects
 * with a `StoreFileError` when a worker is still at work on the file: its attempts would be done twice. So it does while a run is
 * scored again: half of it would be copied.
 */
export async function moveToPostgres({ file, url, leaseMs = 15_000, keys = [], onRun }: MoveOptions): Promise<Copied> {
  const from = await openSqliteDatabase({ file });
  try {
    await refuseBusy(from, { file, leaseMs });
    const { database: to, dispatch, close } = await openPostgresParts({ url });
    try {
      await createKeyRecords(to).add(keys);
      return await copyStore({ from, to, dispatch, ...(onRun && { onRun }) });
    } finally {
      await close();
    }
  } finally {
    await from.close();
  }
}

/** As a claim does: leases that are over, of processes that are gone or from before a start of the host hold nothing. */
async function refuseBusy(database: Database, { file, leaseMs }: { file: string; leaseMs: number }): Promise<void> {
  const now = systemClock.steady();
  const place = { host: thisHost(), pid: process.pid };
  const presence = createPresence({ database, readNow: async () => now, place, onError() {} });
  const lives = await presence.isAlive(database.reader, "run_rescoring.process");
  const held = await database.reader
    .selectFrom("attempt")
    .where("state", "=", running)
    .where("lease_until", ">", now)
    .where("lease_until", "<=", furthestLease({ now, leaseMs }))
    .select("lease_owner")
    .union((queries) => queries.selectFrom("run_rescoring").where(lives).select("process as lease_owner"))
    .execute();
  const busy = held.find(({ lease_owner }) => lease_owner !== null && !isDeadWorker(lease_owner, place));
  if (!busy) return;
  throw new StoreFileError(
    `The database ${file} is being worked on (by ${busy.lease_owner}). Stop its services and workers, then try again.`,
  );
}
