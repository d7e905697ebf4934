import { systemClock } from "../clock.ts";
import { copyStore, type Copied, type CopyOptions } from "../copy-store.ts";
import type { Database } from "../database.ts";
import { running } from "../queries/states.ts";
import { StoreFileError } from "../store-file-error.ts";
import { openPostgresParts } from "./postgres-parts.ts";
import { openSqliteDatabase } from "./sqlite-database.ts";

export interface MoveOptions extends Pick<CopyOptions, "onRun"> {
  readonly file: string;
  readonly url: string;
}

/**
 * Copies an embedded database over to PostgreSQL and queues what is unfinished there. The file is not changed. Rejects
 * with a `StoreFileError` when a worker is still at work on the file: its attempts would be done twice.
 */
export async function moveToPostgres({ file, url, onRun }: MoveOptions): Promise<Copied> {
  const from = await openSqliteDatabase({ file });
  try {
    await refuseBusy(from, file);
    const { database: to, dispatch, close } = await openPostgresParts({ url });
    try {
      return await copyStore({ from, to, dispatch, ...(onRun && { onRun }) });
    } finally {
      await close();
    }
  } finally {
    await from.close();
  }
}

async function refuseBusy({ reader }: Database, file: string): Promise<void> {
  const held = await reader
    .selectFrom("attempt")
    .where("state", "=", running)
    .where("lease_until", ">", systemClock.steady())
    .select("lease_owner")
    .limit(1)
    .executeTakeFirst();
  if (!held) return;
  throw new StoreFileError(
    `The database ${file} is being worked on (by ${held.lease_owner}). Stop its services and workers, then try again.`,
  );
}
