import { Worker } from "node:worker_threads";
import { ServiceError } from "../../contract/errors.ts";
import { threadFile } from "../../base/thread-file.ts";
import { toStorageError } from "./sqlite-error.ts";
import type { ReaderAnswer, ReaderOptions } from "./sqlite-reader-message.ts";

/** Runs queries in a thread, so that long reads hold up nobody. The thread starts with the first query. */
export interface SqliteReader {
  query(sql: string, parameters: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  /** Lets the query under way end. Later ones are refused. */
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (rows: readonly Record<string, unknown>[]) => void;
  readonly reject: (error: unknown) => void;
}

const file = threadFile("sqlite-reader-thread", import.meta.url);

export function createSqliteReader(options: ReaderOptions): SqliteReader {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let count = 0;
  let closing: Promise<void> | null = null;

  function start(): Worker {
    const started = new Worker(file, { workerData: options });
    started.on("message", settle);
    started.on("error", (error) => lose(started, toStorageError(error)));
    started.on("exit", () => lose(started, gone()));
    return started;
  }

  function settle(answer: ReaderAnswer): void {
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    // An idle thread keeps no process alive.
    if (waiting.size === 0) worker?.unref();
    if (answer.ok) asked?.resolve(toRows(answer));
    else asked?.reject(toStorageError(Object.assign(new Error(answer.error.message), answer.error)));
  }

  /** A thread that ended answers nothing more; the next query starts another. */
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

/** The thread takes messages in order, so whatever was asked before is answered before it closes. */
async function stop(worker: Worker | null): Promise<void> {
  if (!worker) return;
  worker.ref();
  await new Promise<void>((resolve) => {
    worker.once("exit", () => resolve());
    worker.postMessage(null);
  });
}

function toRows({ columns, rows }: ReaderAnswer & { ok: true }): Record<string, unknown>[] {
  return rows.map((values) => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < columns.length; index++) row[columns[index] as string] = values[index];
    return row;
  });
}

function gone(): ServiceError {
  return new ServiceError("storage_unavailable", "The store has been closed.");
}
