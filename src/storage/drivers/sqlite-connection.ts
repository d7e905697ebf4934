import { backup, DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

// Node has everything that we use of `node:sqlite` from 22.16 on. From 22.13 to 22.15 a few parts are missing; here is how to do without.

interface SqliteConnectionOptions {
  readonly readOnly?: boolean;
  /** How long one statement waits for a lock, blocking the process. */
  readonly timeoutMs: number;
}

/** Opens a database file. */
export function openConnection(file: string, { readOnly = false, timeoutMs }: SqliteConnectionOptions): DatabaseSync {
  const connection = new DatabaseSync(file, { readOnly });
  connection.exec(`pragma busy_timeout = ${timeoutMs}`);
  return connection;
}

/** True for statements that answer with rows. */
export function returnsRows(statement: StatementSync, sql: string): boolean {
  if (hasColumns(statement)) return statement.columns().length > 0;
  return (
    !/^\s*(?:insert|update|delete|begin|commit|rollback|create|alter|drop)\b/i.test(sql) || /\breturning\b/i.test(sql)
  );
}

/** All rows as arrays, with the names of their columns once. */
export function readArrays(
  statement: StatementSync,
  values: readonly SQLInputValue[],
): { columns: readonly string[]; rows: readonly unknown[][] } {
  if (hasColumns(statement)) {
    statement.setReturnArrays(true);
    return {
      columns: statement.columns().map(({ name }) => name),
      rows: statement.all(...values) as unknown as unknown[][],
    };
  }
  const rows = (statement as StatementSync).all(...values);
  const columns = Object.keys(rows[0] ?? {});
  return { columns, rows: rows.map((row) => columns.map((column) => row[column])) };
}

/** Rolls back. Some failures, such as a full disk, have done so already. */
export function rollBack(connection: DatabaseSync): void {
  if (connection.isTransaction === false) return;
  try {
    connection.exec("rollback");
  } catch (error) {
    if (connection.isTransaction !== undefined || !/no transaction is active/.test(String(error))) throw error;
  }
}

/**
 * Copies all pages in one step, off the main thread: in several steps, the copy would start over whenever another process
 * writes. An older Node copies on the main thread.
 */
export async function copyPages(connection: DatabaseSync, file: string): Promise<void> {
  if (backup) await backup(connection, file, { rate: 2 ** 31 - 1 });
  else connection.prepare("vacuum into ?").run(file);
}

function hasColumns(statement: StatementSync): boolean {
  return "columns" in statement;
}
