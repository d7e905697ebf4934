import type { Writer } from "../database.ts";
import { statement } from "../queries/statement.ts";

/** Rows of one statement: few round trips, and a handful of texts for the database to keep ready. */
const rowsAtOnce = 32;

type Insert = (writer: Writer, values: readonly unknown[]) => Promise<readonly unknown[]>;

/** Inserts rows of one shape, given as lists of values in the order of `columns`. What is there already stays. */
export function insertNewRows(
  table: string,
  columns: readonly string[],
): (writer: Writer, rows: readonly (readonly unknown[])[]) => Promise<void> {
  const statements = new Map<number, Insert>();
  const row = `(${columns.map(() => "?").join(", ")})`;

  function insertOf(count: number): Insert {
    const known = statements.get(count);
    if (known) return known;
    const values = Array.from({ length: count }, () => row).join(", ");
    const insert = statement(`insert into ${table} (${columns.join(", ")}) values ${values} on conflict do nothing`);
    statements.set(count, insert);
    return insert;
  }

  return async (writer, rows) => {
    for (let start = 0; start < rows.length; start += rowsAtOnce) {
      const chunk = rows.slice(start, start + rowsAtOnce);
      await insertOf(chunk.length)(writer, chunk.flat());
    }
  };
}
