import { Kysely, PostgresDialect } from "kysely";
import { startJobs, type Jobs } from "../boss/jobs.ts";
import type { Database } from "../database.ts";
import type { Dispatch } from "../dispatch.ts";
import type { Tables } from "../schema.ts";
import { createPostgresDatabase } from "./postgres-database.ts";
import { toStartError, toStorageError } from "./postgres-error.ts";
import { createPool, explained } from "./postgres-pool.ts";
import { createSockets, type PostgresSockets } from "./postgres-sockets.ts";
import { preparePostgres } from "./postgres-schema.ts";
import { transactAgain, type TransactOptions } from "./transact-again.ts";

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
