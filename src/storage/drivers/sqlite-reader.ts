import { Worker } from "node:worker_threads";
import {
  SqliteAdapter,
  SqliteIntrospector,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from "kysely";
import { threadFile } from "../../base/thread-file.ts";
import { ServiceError } from "../../contract/errors/errors.ts";
import { SqliteCompiler } from "./sqlite-dialect.ts";
import { fromSqliteError } from "./sqlite-error.ts";

/** Sent to the reader's thread, like the queries: plain data only. */

export interface ReaderOptions {
  readonly file: string;
  readonly lockTimeoutMs: number;
}

/** Runs queries in a thread, so that long reads do not block the event loop. The thread starts with the first query. */
export interface SqliteReader {
  query(sql: string, parameters: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  /** Waits for queries in flight. Later ones are rejected. */
  close(): Promise<void>;
}

export function createSqliteReader(options: ReaderOptions): SqliteReader {
  const waiting = new Map<number, WaitingRead>();
  let worker: Worker | null = null;
  let count = 0;
  let closing: Promise<void> | null = null;

  function start(): Worker {
    const started = new Worker(file, { workerData: options });
    started.on("message", settle);
    started.on("error", (error) => lose(started, fromSqliteError(error)));
    started.on("exit", () => lose(started, gone()));
    return started;
  }

  function settle(answer: ReaderAnswer): void {
    const query = waiting.get(answer.id);
    waiting.delete(answer.id);
    // An idle thread keeps no process alive.
    if (waiting.size === 0) worker?.unref();
    if (answer.ok) query?.resolve(toReadRows(answer));
    else query?.reject(fromSqliteError(Object.assign(new Error(answer.error.message), answer.error)));
  }

  /** The thread has ended; the next query starts another. */
  function lose(lost: Worker, reason: unknown): void {
    if (worker !== lost) return;
    worker = null;
    for (const { reject } of waiting.values()) reject(reason);
    waiting.clear();
  }

  return {
    query(sql, parameters) {
      if (closing) return Promise.reject(gone());
      return new Promise((resolve, reject) => {
        worker ??= start();
        worker.ref();
        count += 1;
        waiting.set(count, { resolve, reject });
        worker.postMessage({ id: count, sql, parameters });
      });
    },
    close: () => (closing ??= stop(worker)),
  };
}

/** Kysely on the reader's thread: queries only. */
export function sqliteReaderDialect(reader: SqliteReader): Dialect {
  return {
    createAdapter: () => new ReaderAdapter(),
    createDriver: () => new ReaderDriver(reader),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteCompiler(),
  };
}

export interface ReaderQuestion {
  readonly id: number;
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

export type ReaderAnswer =
  | { readonly id: number; readonly ok: true; readonly columns: readonly string[]; readonly rows: readonly unknown[][] }
  | {
      readonly id: number;
      readonly ok: false;
      /** The fields of a `node:sqlite` error; an error object would lose them between threads. */
      readonly error: {
        readonly message: string;
        readonly errcode: number | undefined;
        readonly code: string | undefined;
      };
    };

interface WaitingRead {
  readonly resolve: (rows: readonly Record<string, unknown>[]) => void;
  readonly reject: (error: unknown) => void;
}

const file = threadFile("sqlite-reader-thread", import.meta.url);

/** The thread takes messages in order, so earlier queries are answered before it closes. */
async function stop(worker: Worker | null): Promise<void> {
  if (!worker) return;
  worker.ref();
  await new Promise<void>((resolve) => {
    worker.once("exit", () => resolve());
    worker.postMessage(null);
  });
}

function toReadRows({ columns, rows }: ReaderAnswer & { ok: true }): Record<string, unknown>[] {
  return rows.map((values) => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < columns.length; index++) row[columns[index] as string] = values[index];
    return row;
  });
}

function gone(): ServiceError {
  return new ServiceError("storage_unavailable", "The store has been closed.");
}

class ReaderAdapter extends SqliteAdapter {
  /** The thread takes one query after the other, so the next one may be sent before the last one is answered. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class ReaderDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(reader: SqliteReader) {
    this.#connection = {
      async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
        return { rows: (await reader.query(sql, parameters)) as Row[] };
      },
      streamQuery: refuse,
    };
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {}

  beginTransaction = refuse;
  commitTransaction = refuse;
  rollbackTransaction = refuse;

  async destroy(): Promise<void> {}
}

function refuse(): never {
  throw new Error("The reader's thread only runs single queries: no writes, no open cursors");
}
