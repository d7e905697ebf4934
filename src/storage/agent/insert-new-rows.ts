import type { Writer } from "../database.ts";
import { insertStatements } from "../queries/insert-statements.ts";

/** Rows of one statement: few round trips, and a handful of texts for the database to keep ready. */
const rowsAtOnce = 32;

/** Inserts rows of one shape, given as lists of values in the order of `columns`. What is there already stays. */
export function insertNewRows(
  table: string,
  columns: readonly string[],
): (writer: Writer, rows: readonly (readonly unknown[])[]) => Promise<void> {
  const insertOf = insertStatements(table, columns, " on conflict do nothing");
  return async (writer, rows) => {
    for (let start = 0; start < rows.length; start += rowsAtOnce) {
      const chunk = rows.slice(start, start + rowsAtOnce);
      await insertOf(chunk.length)(writer, chunk.flat());
    }
  };
}
