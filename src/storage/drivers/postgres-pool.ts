import { setTimeout as sleep } from "node:timers/promises";
import type { PostgresPool, PostgresPoolClient } from "kysely";
import { Pool, TypeOverrides, types, type PoolClient, type PoolConfig } from "pg";
import { isFull, isPlanLost, isReadOnly, toStorageError } from "./postgres-error.ts";
import type { PostgresSockets } from "./postgres-sockets.ts";

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

/**
 * Decides which statements the server keeps planned, under a name, on each connection: those that come again and again.
 * Planning one of them costs as much as running it. Lists of varying length make ever new texts, so there is a limit.
 */
interface StatementNames {
  /** Undefined for a statement that is to be planned anew. */
  nameOf(text: string): string | undefined;
  /** From now on nothing has a name: a pooler between us and the server does not keep them. */
  stop(): void;
}

const usesBeforeName = 3;
const mostNames = 100;
const mostCounted = 1_000;

export function createStatementNames(): StatementNames {
  const names = new Map<string, string>();
  const uses = new Map<string, number>();
  let stopped = false;

  function count(text: string): string | undefined {
    const used = (uses.get(text) ?? 0) + 1;
    if (used < usesBeforeName) {
      if (uses.size >= mostCounted) uses.clear();
      uses.set(text, used);
      return undefined;
    }
    uses.delete(text);
    const name = `rehearsal_${names.size + 1}`;
    names.set(text, name);
    return name;
  }

  return {
    nameOf(text) {
      if (stopped) return undefined;
      return names.get(text) ?? (names.size < mostNames ? count(text) : undefined);
    },
    stop() {
      stopped = true;
    },
  };
}
