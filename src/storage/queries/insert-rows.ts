import type { Writer } from "../database.ts";
import type { Tables } from "../schema.ts";
import { insertStatements } from "./insert-statements.ts";

/** Rows of one statement: what is left over goes in smaller ones. */
const sizes = [256, 64, 16, 4, 1];

/** An insert of many rows in few statements. */
export function insertRows<Table extends keyof Tables & string>(
  table: Table,
  columns: readonly (keyof Tables[Table] & string)[],
): (writer: Writer, rows: readonly (readonly unknown[])[]) => Promise<void> {
  const insertOf = insertStatements(table, columns);
  return async (writer, rows) => {
    let start = 0;
    for (const size of sizes) {
      for (; start + size <= rows.length; start += size) {
        await insertOf(size)(writer, rows.slice(start, start + size).flat());
      }
    }
  };
}
