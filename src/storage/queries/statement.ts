import { CompiledQuery, PostgresAdapter } from "kysely";
import type { Reader, Writer } from "../database.ts";
import { isInProcess } from "../in-process.ts";

/**
 * A statement written out in SQL that every database of ours understands, with `?` for each value. For the few that run
 * once or more for every turn: building and compiling such a query costs many times what running it does, and on a
 * database in this process so does its way through kysely.
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

/** PostgreSQL numbers its values. */
function withNumbers(text: string): string {
  let count = 0;
  return text.replaceAll("?", () => `$${(count += 1)}`);
}
