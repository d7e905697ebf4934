import type { Writer } from "../database.ts";
import type { Tables } from "../schema.ts";
import { statement } from "./statement.ts";

/**
 * Rows of one statement. Every number of rows is a text of its own, which a database keeps ready together with the values it had
 * last: so there are a few, and what is left over goes in smaller ones.
 */
const sizes = [256, 64, 16, 4, 1];

type Insert = ReturnType<typeof statement<never>>;

/** An insert of many rows in few statements. */
export function insertRows<Table extends keyof Tables & string>(
  table: Table,
  columns: readonly (keyof Tables[Table] & string)[],
): (writer: Writer, rows: readonly (readonly unknown[])[]) => Promise<void> {
  const inserts = new Map<number, Insert>();
  const row = `(${columns.map(() => "?").join(", ")})`;

  function insertOf(size: number): Insert {
    const known = inserts.get(size);
    if (known) return known;
    const values = Array.from({ length: size }, () => row).join(", ");
    const insert = statement<never>(`insert into ${table} (${columns.join(", ")}) values ${values}`);
    inserts.set(size, insert);
    return insert;
  }

  return async (writer, rows) => {
    let start = 0;
    for (const size of sizes) {
      for (; start + size <= rows.length; start += size) {
        await insertOf(size)(writer, rows.slice(start, start + size).flat());
      }
    }
  };
}
