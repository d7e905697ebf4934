import { Kysely, PostgresDialect } from "kysely";
import { ServiceError } from "../../contract/errors.ts";
import type { Database } from "../database.ts";
import type { Tables } from "../schema.ts";
import { createPool, explained, type PoolOptions } from "./postgres-pool.ts";
import { transactAgain } from "./transact-again.ts";

interface PostgresDatabaseOptions extends PoolOptions {
  /** How long a write waits for a server that is away, a restart for instance, or takes no writes, before it fails. */
  readonly reconnectMs: number;
}

interface PostgresDatabase extends Database {
  /** From here on a write that the server does not take is not tried again. */
  stopWaiting(): void;
}

/**
 * kysely on a pool of connections. Writes are tried again when the server went away before they were committed, or undid them, but
 * not any more once nobody is to wait: a process that stops must not wait for a server that has stopped before it.
 */
export function createPostgresDatabase({ reconnectMs, ...options }: PostgresDatabaseOptions): PostgresDatabase {
  const pool = createPool(options);
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: explained(pool) }) });
  const underWay = new Set<Promise<unknown>>();
  let isOver = false;
  let closing: Promise<void> | null = null;

  return {
    reader: kysely,
    write(work) {
      if (closing) return Promise.reject(new ServiceError("storage_unavailable", "The store has been closed."));
      const writing = transactAgain(kysely, work, { withinMs: reconnectMs, isOver: () => isOver });
      const settled = writing.catch(() => {});
      underWay.add(settled);
      void settled.then(() => underWay.delete(settled));
      return writing;
    },
    stopWaiting: () => void (isOver = true),
    close: () =>
      (closing ??= (async () => {
        isOver = true;
        await Promise.all(underWay);
        await pool.end();
      })()),
  };
}
