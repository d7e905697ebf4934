import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { openConnection, readArrays } from "./sqlite-connection.ts";
import type { ReaderAnswer, ReaderOptions, ReaderQuestion } from "./sqlite-reader.ts";

/** Runs in the reader's thread: answers one query at a time on a read-only connection. */
const { file, lockTimeoutMs } = workerData as ReaderOptions;
// Opened by the first query, so that a failure to open is that query's answer.
let database: DatabaseSync | null = null;
/** A long read repeats one query, and preparing it takes as long as reading a hundred rows. */
let last: { readonly sql: string; readonly statement: StatementSync } | null = null;

parentPort?.on("message", (question: ReaderQuestion | null) => {
  if (question) return parentPort?.postMessage(answerRead(question));
  database?.close();
  parentPort?.close();
});

function answerRead({ id, sql, parameters }: ReaderQuestion): ReaderAnswer {
  try {
    database ??= openConnection(file, { readOnly: true, timeoutMs: lockTimeoutMs });
    if (last?.sql !== sql) last = { sql, statement: database.prepare(sql) };
    // Rows as arrays: the column names are sent once, not per row.
    return { id, ok: true, ...readArrays(last.statement, parameters as readonly SQLInputValue[]) };
  } catch (error) {
    const { message, errcode, code } = error as Error & { errcode?: number; code?: string };
    return { id, ok: false, error: { message, errcode, code } };
  }
}
