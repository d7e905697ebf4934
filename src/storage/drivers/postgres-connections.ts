import { compact } from "../../base/compact.ts";
import { createHash } from "node:crypto";
import { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { PostgresPool, PostgresPoolClient } from "kysely";
import { Client, Pool, TypeOverrides, types, type PoolClient, type PoolConfig } from "pg";
import { fromPostgresError, isOutOfConnections, isPreparedStatementLost, isReadOnly } from "./postgres-error.ts";

/** Counts and times are bigint columns; all of ours fit a JavaScript number exactly. */
const typeOverrides = new TypeOverrides();
typeOverrides.setTypeParser(types.builtins.INT8, Number);

const connectMs = 5_000;
const fullPauseMs = 50;

export interface PoolOptions {
  readonly url: string;
  readonly connections: number;
  /** Timeout after which a silent connection is destroyed: a failover does not close it. Default: none. */
  readonly answerMs?: number | undefined;
  /** Source of the sockets. Default: `pg` creates them. */
  readonly sockets?: PostgresSockets;
}

/** A pool that survives server restarts: broken connections are dropped and new ones made when needed. */
export function createPool({ url, connections, answerMs, sockets }: PoolOptions): Pool {
  const settings: PoolConfig = compact({
    connectionString: url,
    max: connections,
    types: typeOverrides,
    application_name: "rehearsal",
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    query_timeout: answerMs,
    stream: sockets?.open,
    // Statements that do not wait for each other's results are sent together.
    pipeline: true,
  });
  const pool = new Pool(settings);
  // Without a handler, an idle connection that breaks would end the process.
  pool.on("error", ignore);
  pool.on("connect", (client) => client.on("error", ignore));
  return pool;
}

/** The pool as kysely uses it, with errors turned into `ServiceError`. */
export function toKyselyPool(pool: Pool): PostgresPool {
  const names = createStatementNames();
  return {
    options: {},
    async connect() {
      try {
        return toKyselyClient(await connectWithRetry(pool), names);
      } catch (error) {
        throw fromPostgresError(error);
      }
    },
    end: () => pool.end(),
  };
}

/** The sockets of all connections to one server. */
export interface PostgresSockets {
  /** A socket for a new connection; `pg` connects it. */
  readonly open: () => Socket;
  /** Destroys all sockets, and every later one. */
  readonly destroyAll: () => void;
}

/** A silent server closes no connection and answers no shutdown, so a shutdown destroys the sockets. */
export function createSockets(): PostgresSockets {
  const sockets = new Set<Socket>();
  let isCut = false;

  return {
    open() {
      const socket = new Socket();
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      if (isCut) setImmediate(() => socket.destroy());
      return socket;
    },
    destroyAll() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

interface ListenerOptions {
  /** Must lead to the server itself: a pooler in transaction mode passes no notifications. */
  readonly url: string;
  readonly sockets: PostgresSockets;
  readonly channel: string;
  /** Called for every notification, and once with an empty payload after each connect. */
  readonly onNotice: (payload: string) => void;
  /** Called after each connect: notifications may have been missed. */
  readonly onConnected?: () => void;
}

interface Listener {
  stop(): Promise<void>;
}

const longestBackoffMs = 5_000;
const pingMs = 10_000;

/** Listens on its own connection and reconnects with exponential backoff. */
export function startListener({ url, sockets, channel, onNotice, onConnected = () => {} }: ListenerOptions): Listener {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function follow(): Promise<void> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        await listenOnce({
          url,
          sockets,
          channel,
          onNotice,
          signal,
          onConnected() {
            failures = 0;
            onConnected();
          },
        });
      } catch {
        // Lost or refused: workers also poll, so until the reconnect they only notice later.
      }
      const backoff = Math.min(longestBackoffMs, 50 * 2 ** failures) * (0.5 + Math.random());
      await sleep(backoff, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  const following = follow();
  return {
    async stop() {
      stopping.abort();
      await following;
    },
  };
}

const ignore = (): void => {};

/** Retries when the server is out of connections: ours, and those of others, become free again. */
async function connectWithRetry(pool: Pool): Promise<PoolClient> {
  const deadline = performance.now() + connectMs;
  for (;;) {
    try {
      return await pool.connect();
    } catch (error) {
      if (!isOutOfConnections(error) || performance.now() >= deadline) throw error;
      await sleep(fullPauseMs * (0.5 + Math.random()));
    }
  }
}

/**
 * A process that is suspended or cut off inside a transaction holds its locks and blocks every worker, so the server
 * ends such a transaction. Sent with `begin`, because poolers do not pass session settings on.
 */
const begin = "begin; set local idle_in_transaction_session_timeout = 5000";

function toKyselyClient(client: PoolClient, names: StatementNames): PostgresPoolClient {
  // Only transactions are retried without names, so statements are named only there.
  let inTransaction = false;
  // A connection is often read-only from the start, so one that refused a write is not reused.
  let mayWrite = true;

  async function run(sql: string, parameters: readonly unknown[]): Promise<unknown> {
    if (sql === "begin" || sql === "commit" || sql === "rollback") {
      inTransaction = sql === "begin";
      return client.query(inTransaction ? begin : sql);
    }
    const name = inTransaction ? names.nameOf(sql) : undefined;
    return client.query({ name, text: sql, values: [...parameters] });
  }

  const query = async (sql: string, parameters: readonly unknown[]): Promise<unknown> => {
    try {
      return await run(sql, parameters);
    } catch (error) {
      if (isPreparedStatementLost(error)) names.stop();
      if (isReadOnly(error)) mayWrite = false;
      throw fromPostgresError(error);
    }
  };
  return { query: query as PostgresPoolClient["query"], release: (destroy) => client.release(destroy || !mayWrite) };
}

/**
 * Chooses the statements to prepare by name on each connection: those that repeat, because planning one costs as much
 * as running it. Lists of varying length produce ever new texts, so the number is limited.
 */
interface StatementNames {
  /** Undefined for a statement that is not prepared. */
  nameOf(text: string): string | undefined;
  /** Stops naming statements: a pooler between us and the server does not keep them. */
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
    // Behind a pooler a server connection may have a statement that another client named, so a name says which it is.
    const name = `rehearsal_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
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

interface ListeningConnection extends Required<ListenerOptions> {
  readonly signal: AbortSignal;
}

/** Resolves when `signal` aborts, rejects when the connection is lost. */
async function listenOnce({
  url,
  sockets,
  channel,
  onNotice,
  signal,
  onConnected,
}: ListeningConnection): Promise<void> {
  const client = new Client({
    connectionString: url,
    application_name: "rehearsal-listener",
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
    keepAlive: true,
    stream: sockets.open,
  });
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  ended.catch(() => {});
  client.on("error", reject);
  client.on("end", () => reject(new Error("The connection has ended")));
  client.on("notification", (message) => onNotice(message.payload ?? ""));
  const onAbort = (): void => resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  // A silently dropped connection is only noticed when something is sent.
  const ping = setInterval(() => void client.query("select 1").catch(reject), pingMs).unref();
  try {
    await client.connect();
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
    onConnected();
    onNotice("");
    await ended;
  } finally {
    clearInterval(ping);
    signal.removeEventListener("abort", onAbort);
    await client.end().catch(() => {});
  }
}
