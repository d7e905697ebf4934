import { setTimeout as sleep } from "node:timers/promises";
import { Kysely, PostgresDialect, sql, type Transaction } from "kysely";
import { ServiceError } from "../../contract/errors.ts";
import { startJobs, type Jobs } from "../boss/jobs.ts";
import type { Database } from "../database.ts";
import type { Dispatch } from "../dispatch.ts";
import { appliedMigrations, isUpToDate, migrate, unknownMigrations } from "../migrate.ts";
import type { Tables } from "../schema.ts";
import { StoreFileError } from "../store-file-error.ts";
import {
  codes,
  isConflict,
  isConnectionLost,
  isCutShort,
  isPlanLost,
  isReadOnly,
  toStartError,
  toStorageError,
} from "./postgres-error.ts";
import { createPool, explained, type PoolOptions } from "./postgres-pool.ts";
import { createSockets, type PostgresSockets } from "./postgres-sockets.ts";

export interface PostgresPartsOptions {
  /** `postgres://user:password@host:port/database` */
  readonly url: string;
  readonly connections?: number;
  /** How long a write waits for a server that is away. */
  readonly reconnectMs?: number;
  /** How long the server may take to answer one statement. Those of pg-boss, which look through all jobs, may take three times as long. */
  readonly answerMs?: number;
  /** Seconds after which a silent worker is taken for dead. pg-boss allows no less than 10. */
  readonly heartbeatSeconds?: number;
  /** How long a start waits for a server that is away. Default: not at all. */
  readonly startMs?: number | undefined;
  /** Told why a start has to wait. */
  readonly onWait?: ((error: unknown) => void) | undefined;
  readonly onError?: (error: unknown) => void;
}

/** The database, brought up to date, and pg-boss on it. */
interface PostgresParts {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly dispatch: Dispatch;
  readonly sockets: PostgresSockets;
  /** See `OpenedStorage`. */
  stopWaiting(): void;
  close(): Promise<void>;
}

/** pg-boss talks over connections of its own, so that it never waits for one that a transaction of ours holds. */
const bossConnections = 2;
/** How long a server may take for what whoever stops has to say last. */
const goodbyeMs = 3_000;

export async function openPostgresParts({
  url,
  connections = 10,
  reconnectMs = 15_000,
  answerMs = 20_000,
  heartbeatSeconds = 10,
  startMs = 0,
  onWait,
  onError = () => {},
}: PostgresPartsOptions): Promise<PostgresParts> {
  const sockets = createSockets();
  const bossPool = createPool({ url, connections: bossConnections, answerMs: 3 * answerMs, sockets });
  const start = (): Promise<Jobs> => startJobs({ pool: bossPool, heartbeatSeconds, onError });
  const jobs = await prepare(url, { start, withinMs: startMs, onAgain: onWait }).catch(async (error: unknown) => {
    await bossPool.end();
    throw toStorageError(toStartError(error));
  });
  const database = createPostgresDatabase({ url, connections, reconnectMs, answerMs, sockets });
  let goodbye: NodeJS.Timeout | undefined;

  function stopWaiting(): void {
    database.stopWaiting();
    goodbye ??= setTimeout(sockets.cut, goodbyeMs).unref();
  }

  return {
    database,
    jobs,
    dispatch: { enqueue: jobs.insert, withdraw: jobs.complete, stop: jobs.announceCancel },
    sockets,
    stopWaiting,
    async close() {
      stopWaiting();
      await database.close();
      await jobs.stop();
      await bossPool.end();
    },
  };
}

/** Our schema and that of pg-boss, made by one process at a time: the transaction that holds the lock ends last. */
async function prepare(
  url: string,
  { start, ...again }: TransactOptions & { readonly start: () => Promise<Jobs> },
): Promise<Jobs> {
  const kysely = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: explained(createPool({ url, connections: 1 })) }),
  });
  const started: { jobs?: Jobs } = {};
  try {
    return await transactAgain(
      kysely,
      async (transaction) => {
        await preparePostgres(transaction);
        return (started.jobs ??= await start());
      },
      { ...again, repeatable: true },
    );
  } catch (error) {
    await started.jobs?.stop();
    throw error;
  } finally {
    await kysely.destroy();
  }
}

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

interface TransactOptions {
  /** How long it is tried again. Once it is in any case: finding out that a server has fallen silent may take all the time there is. */
  readonly withinMs: number;
  /** Doing it twice does no harm: it is tried again also when nobody knows whether it was committed. */
  readonly repeatable?: boolean;
  /** Whether it is not to be tried again, whatever happens. Default: it is. */
  readonly isOver?: () => boolean;
  /** Told why it is tried again, the first time. */
  readonly onAgain?: ((error: unknown) => void) | undefined;
}

/** A transaction that is tried again when the server went away before it was committed, or undid it. */
async function transactAgain<Result>(
  kysely: Kysely<Tables>,
  work: (transaction: Transaction<Tables>) => Promise<Result>,
  { withinMs, repeatable = false, isOver = () => false, onAgain = () => {} }: TransactOptions,
): Promise<Result> {
  const deadline = performance.now() + withinMs;
  for (let tries = 0; ; tries += 1) {
    let committing = false;
    try {
      return await kysely.transaction().execute(async (transaction) => {
        const result = await work(transaction);
        committing = true;
        return result;
      });
    } catch (error) {
      // When the connection is lost during the commit nobody knows whether it took place.
      const undone = isConflict(error) || isCutShort(error) || isPlanLost(error) || isReadOnly(error);
      const again = undone || (isConnectionLost(error) && (repeatable || !committing));
      if (!again || isOver() || (tries > 0 && performance.now() >= deadline)) throw error;
      if (tries === 0) onAgain(error);
      await sleep(Math.min(1_000, 20 * 2 ** tries) * (0.5 + Math.random()));
    }
  }
}

const oldestServer = 140_000;
/** Any number, as long as every version of this program uses the same: processes that start together queue behind it. */
const startLock = 7_245_100;

/** Brings the schema up to date in a transaction that holds the start lock. Refuses a database that is not for us. */
async function preparePostgres(transaction: Transaction<Tables>): Promise<void> {
  // It may have to wait here for another process, and then for pg-boss to make its tables.
  await sql`set local idle_in_transaction_session_timeout = 120000`.execute(transaction);
  await sql`select pg_advisory_xact_lock(${startLock})`.execute(transaction);
  const { rows } = await sql<Place>`
    select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding,
      current_database() as name, current_user as role, current_setting('transaction_read_only') = 'on' as read_only,
      coalesce(has_schema_privilege(current_schema(), 'create'), false) as may_make_tables,
      to_regnamespace('pgboss') is not null or has_database_privilege(current_database(), 'create') as may_have_queue
    `.execute(transaction);
  const place = rows[0]!;
  const { version, encoding, name } = place;
  if (Number(version) < oldestServer) {
    throw new StoreFileError(
      `The database "${name}" is on a server that is too old. PostgreSQL 14 or newer is needed.`,
    );
  }
  if (encoding !== "UTF8") {
    throw new StoreFileError(`The database "${name}" is encoded as ${encoding}. Make one with encoding UTF8.`);
  }
  const applied = await appliedMigrations(transaction);
  const [unknown] = unknownMigrations(applied);
  if (unknown !== undefined) {
    throw new StoreFileError(
      `The database "${name}" was made by a newer version (it has "${unknown}"). Install that version or use another database; this one was left as it is.`,
    );
  }
  const complete = isUpToDate(applied);
  if ((!complete && !place.may_make_tables) || !place.may_have_queue) throw powerless(place);
  // Were it left to the server to refuse, kysely would keep the reason to itself.
  if (!complete && place.read_only) throw readOnly(place);
  if (!complete) await migrate(transaction);
}

interface Place {
  readonly version: string;
  readonly encoding: string;
  readonly name: string;
  readonly role: string;
  readonly read_only: boolean;
  readonly may_make_tables: boolean;
  readonly may_have_queue: boolean;
}

/** As the server says it: in a failover another one may take writes a moment later. */
function readOnly({ name }: Place): Error {
  return Object.assign(new Error(`The database "${name}" takes no writes`), { code: codes.readOnly });
}

function powerless({ name, role }: Place): StoreFileError {
  return new StoreFileError(
    `The role "${role}" may not make tables and schemas in the database "${name}": make it the owner (alter database "${name}" owner to "${role}") or grant it create on both.`,
  );
}
