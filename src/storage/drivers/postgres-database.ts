import { setTimeout as sleep } from "node:timers/promises";
import { Kysely, PostgresDialect, sql, type Transaction } from "kysely";
import { ServiceError } from "../../contract/errors/errors.ts";
import { firstSlice, startSlices, type Slices } from "../queues/boss/slices.ts";
import { StoreFileError, type Database, type Dispatch } from "../tables/database.ts";
import { appliedMigrations, isUpToDate, migrate, refusalOf } from "../migrations/migrate.ts";
import type { Tables } from "../tables/schema.ts";
import {
  postgresCodes,
  isConflict,
  isConnectionLost,
  isCancelledByServer,
  isPreparedStatementLost,
  isReadOnly,
  fromPostgresStartError,
  fromPostgresError,
} from "./postgres-error.ts";
import {
  createPool,
  createSockets,
  toKyselyPool,
  type PoolOptions,
  type PostgresSockets,
} from "./postgres-connections.ts";

export interface PostgresDatabaseOptions {
  /** `postgres://user:password@host:port/database` */
  readonly url: string;
  readonly connections?: number;
  /** How long a write waits for an unreachable server. */
  readonly reconnectMs?: number;
  /** Timeout of one statement. Statements of pg-boss may take three times as long. */
  readonly answerMs?: number;
  /** Seconds after which a silent worker counts as dead. The minimum of pg-boss is 10. */
  readonly heartbeatSeconds?: number;
  /** Concurrent attempts of a run that sets no limit of its own. */
  readonly perRun?: number;
  /** How long the start waits for an unreachable server. Default: not at all. */
  readonly startMs?: number | undefined;
  /** Called with the reason when the start has to wait. */
  readonly onWait?: ((error: unknown) => void) | undefined;
  readonly onError?: (error: unknown) => void;
}

/** The migrated database with pg-boss on it. */
interface OpenedPostgres {
  readonly database: Database;
  readonly slices: Slices;
  readonly dispatch: Dispatch;
  readonly sockets: PostgresSockets;
  /** See `OpenedStorage`. */
  stopWaiting(): void;
  close(): Promise<void>;
}

/** pg-boss uses connections of its own, so that it never waits for one held by our transactions. */
const bossConnections = 2;
/** Time for the last statements of a shutdown before all connections are destroyed. */
const shutdownGraceMs = 3_000;

export async function openPostgresDatabase({
  url,
  connections = 10,
  reconnectMs = 15_000,
  answerMs = 20_000,
  heartbeatSeconds = 10,
  perRun = 8,
  startMs = 0,
  onWait,
  onError = () => {},
}: PostgresDatabaseOptions): Promise<OpenedPostgres> {
  const sockets = createSockets();
  const bossPool = createPool({ url, connections: bossConnections, answerMs: 3 * answerMs, sockets });
  const start = (): Promise<Slices> => startSlices({ pool: bossPool, heartbeatSeconds, onError });
  const slices = await migrateAndStartBoss(url, { start, retryMs: startMs, onRetry: onWait }).catch(
    async (error: unknown) => {
      await bossPool.end();
      throw fromPostgresError(fromPostgresStartError(error));
    },
  );
  const database = createPostgresDatabase({ url, connections, reconnectMs, answerMs, sockets });
  let cutOff: NodeJS.Timeout | undefined;

  function stopWaiting(): void {
    database.stopWaiting();
    cutOff ??= setTimeout(sockets.destroyAll, shutdownGraceMs).unref();
  }

  return {
    database,
    slices,
    dispatch: {
      enqueue: (writer, { max_concurrency, ...run }) =>
        slices.send(writer, [firstSlice({ ...run, concurrency: max_concurrency ?? perRun })]),
      stop: slices.announceCancel,
    },
    sockets,
    stopWaiting,
    async close() {
      stopWaiting();
      await database.close();
      await slices.stop();
      await bossPool.end();
    },
  };
}

/** Migrates our schema and that of pg-boss, one process at a time: the transaction that holds the lock ends last. */
async function migrateAndStartBoss(
  url: string,
  { start, ...retry }: ReconnectOptions & { readonly start: () => Promise<Slices> },
): Promise<Slices> {
  const kysely = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: toKyselyPool(createPool({ url, connections: 1 })) }),
  });
  const started: { slices?: Slices } = {};
  try {
    return await retryTransaction(
      kysely,
      async (transaction) => {
        await migratePostgres(transaction);
        return (started.slices ??= await start());
      },
      { ...retry, repeatable: true },
    );
  } catch (error) {
    await started.slices?.stop();
    throw error;
  } finally {
    await kysely.destroy();
  }
}

interface PoolDatabaseOptions extends PoolOptions {
  /** How long a write waits for a server that is unreachable or read-only, for example during a restart. */
  readonly reconnectMs: number;
}

interface PostgresDatabase extends Database {
  /** From here on failed writes are not retried. */
  stopWaiting(): void;
}

/**
 * Kysely on a connection pool. Writes are retried when the connection was lost before the commit or the server rolled
 * them back, until `stopWaiting`: a process that shuts down must not wait for a server that stopped before it.
 */
export function createPostgresDatabase({ reconnectMs, ...options }: PoolDatabaseOptions): PostgresDatabase {
  const pool = createPool(options);
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: toKyselyPool(pool) }) });
  const inFlight = new Set<Promise<unknown>>();
  let isStopped = false;
  let closing: Promise<void> | null = null;

  return {
    reader: kysely,
    write(work) {
      if (closing) return Promise.reject(new ServiceError("storage_unavailable", "The store has been closed."));
      const writing = retryTransaction(kysely, work, { retryMs: reconnectMs, isStopped: () => isStopped });
      const settled = writing.catch(() => {});
      inFlight.add(settled);
      void settled.then(() => inFlight.delete(settled));
      return writing;
    },
    stopWaiting: () => void (isStopped = true),
    close: () =>
      (closing ??= (async () => {
        isStopped = true;
        await Promise.all(inFlight);
        await pool.end();
      })()),
  };
}

interface ReconnectOptions {
  /** How long to retry. One retry is always made: detecting a silent server may have taken all the time. */
  readonly retryMs: number;
  /** True when running it twice is harmless: it is then retried even if the commit is uncertain. */
  readonly repeatable?: boolean;
  /** True when no further retry is wanted. */
  readonly isStopped?: () => boolean;
  /** Called with the reason of the first retry. */
  readonly onRetry?: ((error: unknown) => void) | undefined;
}

/** Retries a transaction when the connection was lost before the commit, or the server rolled it back. */
async function retryTransaction<Result>(
  kysely: Kysely<Tables>,
  work: (transaction: Transaction<Tables>) => Promise<Result>,
  { retryMs, repeatable = false, isStopped = () => false, onRetry = () => {} }: ReconnectOptions,
): Promise<Result> {
  const deadline = performance.now() + retryMs;
  for (let tries = 0; ; tries += 1) {
    let committing = false;
    try {
      return await kysely.transaction().execute(async (transaction) => {
        const result = await work(transaction);
        committing = true;
        return result;
      });
    } catch (error) {
      // When the connection is lost during the commit, its outcome is unknown.
      const undone =
        isConflict(error) || isCancelledByServer(error) || isPreparedStatementLost(error) || isReadOnly(error);
      const retryable = undone || (isConnectionLost(error) && (repeatable || !committing));
      if (!retryable || isStopped() || (tries > 0 && performance.now() >= deadline)) throw error;
      if (tries === 0) onRetry(error);
      await sleep(Math.min(1_000, 20 * 2 ** tries) * (0.5 + Math.random()));
    }
  }
}

const oldestServer = 140_000;
/** Advisory lock that serializes starts. Every version of this program must use the same number. */
const startLock = 7_245_100;

/** Migrates the schema in a transaction that holds the start lock. Rejects a database that cannot be used. */
async function migratePostgres(transaction: Transaction<Tables>): Promise<void> {
  // The transaction may wait here for another process, and then for pg-boss to create its tables.
  await sql`set local idle_in_transaction_session_timeout = 120000`.execute(transaction);
  await sql`select pg_advisory_xact_lock(${startLock})`.execute(transaction);
  const { rows } = await sql<ServerFacts>`
    select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding,
      current_database() as name, current_user as role, current_setting('transaction_read_only') = 'on' as read_only,
      coalesce(has_schema_privilege(current_schema(), 'create'), false) as may_make_tables,
      to_regnamespace('pgboss') is not null or has_database_privilege(current_database(), 'create') as may_have_queue
    `.execute(transaction);
  const facts = rows[0]!;
  const { version, encoding, name } = facts;
  if (Number(version) < oldestServer) {
    throw new StoreFileError(`The database "${name}" is on a server that is too old. Use PostgreSQL 14 or newer.`);
  }
  if (encoding !== "UTF8") {
    throw new StoreFileError(`The database "${name}" is encoded as ${encoding}. Create one with encoding UTF8.`);
  }
  const applied = await appliedMigrations(transaction);
  const refusal = refusalOf(applied);
  if (refusal !== null) throw new StoreFileError(`The database "${name}" ${refusal}`);
  const complete = isUpToDate(applied);
  if ((!complete && !facts.may_make_tables) || !facts.may_have_queue) throw missingPrivilege(facts);
  // Checked here, because kysely hides the reason of a refused migration.
  if (!complete && facts.read_only) throw readOnly(facts);
  if (!complete) await migrate(transaction);
}

interface ServerFacts {
  readonly version: string;
  readonly encoding: string;
  readonly name: string;
  readonly role: string;
  readonly read_only: boolean;
  readonly may_make_tables: boolean;
  readonly may_have_queue: boolean;
}

/** The code of the server's own error: during a failover another server may take writes a moment later. */
function readOnly({ name }: ServerFacts): Error {
  return Object.assign(new Error(`The database "${name}" is read-only`), { code: postgresCodes.readOnly });
}

function missingPrivilege({ name, role }: ServerFacts): StoreFileError {
  return new StoreFileError(
    `The role "${role}" may not create tables and schemas in the database "${name}": make it the owner (alter database "${name}" owner to "${role}") or grant it create on both.`,
  );
}
