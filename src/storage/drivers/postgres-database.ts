import { setTimeout as sleep } from "node:timers/promises";
import { Kysely, PostgresDialect } from "kysely";
import { ServiceError } from "../../contract/service-error.ts";
import type { Database, Writer } from "../database.ts";
import type { Tables } from "../schema.ts";
import { isConflict, isConnectionLost, isCutShort, isPlanLost, isReadOnly } from "./postgres-error.ts";
import { createPool, explained, type PoolOptions } from "./postgres-pool.ts";

export interface PostgresDatabaseOptions extends PoolOptions {
  /** How long a write waits for a server that is away, a restart for instance, or takes no writes, before it fails. */
  readonly reconnectMs: number;
}

/**
 * kysely on a pool of connections. Writes are tried again when the server went away before they were committed, or undid them, but
 * not any more once this is closed: a process that stops must not wait for a server that has stopped before it.
 */
export function createPostgresDatabase({ reconnectMs, ...options }: PostgresDatabaseOptions): Database {
  const pool = createPool(options);
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: explained(pool) }) });
  const underWay = new Set<Promise<unknown>>();
  let closing: Promise<void> | null = null;

  async function attempt<Result>(work: (writer: Writer) => Promise<Result>): Promise<Result> {
    const deadline = performance.now() + reconnectMs;
    for (let tries = 0; ; tries += 1) {
      let committing = false;
      try {
        return await kysely.transaction().execute(async (writer) => {
          const result = await work(writer);
          committing = true;
          return result;
        });
      } catch (error) {
        // When the connection is lost during the commit nobody knows whether it took place, so it is not repeated.
        const undone = isConflict(error) || isCutShort(error) || isPlanLost(error) || isReadOnly(error);
        const again = undone || (isConnectionLost(error) && !committing);
        // Once at least: finding out that a server has fallen silent may have taken all the time there is.
        if (!again || closing || (tries > 0 && performance.now() >= deadline)) throw error;
        await sleep(Math.min(1_000, 20 * 2 ** tries) * (0.5 + Math.random()));
      }
    }
  }

  return {
    reader: kysely,
    write(work) {
      if (closing) return Promise.reject(new ServiceError("storage_unavailable", "The store has been closed."));
      const writing = attempt(work);
      const settled = writing.catch(() => {});
      underWay.add(settled);
      void settled.then(() => underWay.delete(settled));
      return writing;
    },
    close: () =>
      (closing ??= (async () => {
        await Promise.all(underWay);
        await pool.end();
      })()),
  };
}
