import { CompiledQuery, PostgresAdapter, type DialectAdapter } from "kysely";
import type { Reader, Writer } from "../tables/database.ts";

/** The adapter of an embedded database with a single connection: statements run synchronously. */
export interface InProcessAdapter extends DialectAdapter {
  /** Runs a statement on the connection, inside its transaction if there is one. */
  run<Row>(text: string, values: readonly unknown[]): readonly Row[];
}

/**
 * A statement in SQL that both databases understand, with `?` for each value. Only for statements that run for every
 * turn: building and compiling such a query costs many times its execution, and on SQLite so does the way through
 * kysely.
 */
export function statement<Row>(
  text: string,
): (connection: Reader | Writer, values: readonly unknown[]) => Promise<readonly Row[]> {
  let numbered: string | undefined;
  return async (connection, values) => {
    const { adapter } = connection.getExecutor();
    if (isInProcess(adapter)) return adapter.run<Row>(text, values);
    const dialect = adapter instanceof PostgresAdapter ? (numbered ??= withNumbers(text)) : text;
    const { rows } = await connection.executeQuery<Row>(CompiledQuery.raw(dialect, [...values]));
    return rows;
  };
}

type Insert = ReturnType<typeof statement<never>>;

/**
 * An insert of a given number of rows, with all values as one list. Each number of rows is its own prepared statement,
 * which the database keeps with its last values, so there should be few.
 */
export function insertStatements(table: string, columns: readonly string[], ending = ""): (rows: number) => Insert {
  const inserts = new Map<number, Insert>();
  const row = `(${columns.map(() => "?").join(", ")})`;
  return (rows) => {
    const known = inserts.get(rows);
    if (known) return known;
    const values = Array.from({ length: rows }, () => row).join(", ");
    const insert = statement<never>(`insert into ${table} (${columns.join(", ")}) values ${values}${ending}`);
    inserts.set(rows, insert);
    return insert;
  };
}

function isInProcess(adapter: DialectAdapter): adapter is InProcessAdapter {
  return "run" in adapter;
}

/** PostgreSQL numbers its parameters. */
function withNumbers(text: string): string {
  let count = 0;
  return text.replaceAll("?", () => `$${(count += 1)}`);
}
