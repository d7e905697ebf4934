import { setTimeout as sleep } from "node:timers/promises";
import { Pool, TypeOverrides, types, type PoolClient, type PoolConfig } from "pg";
import type { PostgresPool, PostgresPoolClient } from "kysely";
import { isFull, isPlanLost, isReadOnly, toStorageError } from "./postgres-error.ts";
import type { PostgresSockets } from "./postgres-sockets.ts";
import { createStatementNames, type StatementNames } from "./postgres-statements.ts";

/** Counts and times are bigint columns; all of ours fit a JavaScript number exactly. */
const numbers = new TypeOverrides();
numbers.setTypeParser(types.builtins.INT8, Number);

const connectMs = 5_000;
const fullPauseMs = 50;

export interface PoolOptions {
  readonly url: string;
  readonly connections: number;
  /** A server that says nothing for so long is gone, and its connection is cut: a failover ends none by itself. Default: never. */
  readonly answerMs?: number | undefined;
  /** Where its connections get their sockets. Default: each has its own, known to nobody. */
  readonly sockets?: PostgresSockets;
}

/** Connections that survive a server that goes away: broken ones are dropped, and new ones are made when needed. */
export function createPool({ url, connections, answerMs, sockets }: PoolOptions): Pool {
  const settings: PoolConfig = {
    connectionString: url,
    max: connections,
    types: numbers,
    application_name: "rehearsal",
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    ...(answerMs !== undefined && { query_timeout: answerMs }),
    ...(sockets && { stream: sockets.open }),
    // Statements that do not wait for each other's answers travel together.
    pipeline: true,
  };
  const pool = new Pool(settings);
  // A connection that breaks while nobody waits for it would otherwise end the process.
  pool.on("error", ignore);
  pool.on("connect", (client) => client.on("error", ignore));
  return pool;
}

const ignore = (): void => {};

/** The pool as kysely uses it, with failures that a client understands. */
export function explained(pool: Pool): PostgresPool {
  const names = createStatementNames();
  return {
    options: {},
    async connect() {
      try {
        return explainedClient(await connectWhenFree(pool), names);
      } catch (error) {
        throw toStorageError(error);
      }
    },
    end: () => pool.end(),
  };
}

/** Where the server has no more connections for us, the ones we have come free again, and so may those of others. */
async function connectWhenFree(pool: Pool): Promise<PoolClient> {
  const deadline = performance.now() + connectMs;
  for (;;) {
    try {
      return await pool.connect();
    } catch (error) {
      if (!isFull(error) || performance.now() >= deadline) throw error;
      await sleep(fullPauseMs * (0.5 + Math.random()));
    }
  }
}

/**
 * A process that is paused or cut off inside a transaction holds its locks, and with them every worker. So the server
 * ends such a transaction after a while. Said with `begin`, because poolers do not pass settings of a connection on.
 */
const begin = "begin; set local idle_in_transaction_session_timeout = 5000";

function explainedClient(client: PoolClient, names: StatementNames): PostgresPoolClient {
  // Only a transaction can be tried again without names, so only there statements have any.
  let inTransaction = false;
  // Whether a connection may write is often settled when it is made, so one that may not is not kept for others.
  let mayWrite = true;

  async function run(sql: string, parameters: readonly unknown[]): Promise<unknown> {
    if (sql === "begin" || sql === "commit" || sql === "rollback") {
      inTransaction = sql === "begin";
      return client.query(inTransaction ? begin : sql);
    }
    const name = inTransaction ? names.nameOf(sql) : undefined;
    return client.query({ ...(name !== undefined && { name }), text: sql, values: [...parameters] });
  }

  const query = async (sql: string, parameters: readonly unknown[]): Promise<unknown> => {
    try {
      return await run(sql, parameters);
    } catch (error) {
      if (isPlanLost(error)) names.stop();
      if (isReadOnly(error)) mayWrite = false;
      throw toStorageError(error);
    }
  };
  return { query: query as PostgresPoolClient["query"], release: (destroy) => client.release(destroy || !mayWrite) };
}
