import type { Writer } from "../database.ts";
import type { Tables } from "../schema.ts";
import { statement } from "./statement.ts";

/** An insert of many rows in one statement, written out once for each number of rows that occurs. */
export function insertRows<Table extends keyof Tables & string>(
  table: Table,
  columns: readonly (keyof Tables[Table] & string)[],
): (writer: Writer, rows: readonly (readonly unknown[])[]) => Promise<void> {
  const row = `(${columns.map(() => "?").join(", ")})`;
  let known: { readonly count: number; readonly insert: ReturnType<typeof statement<never>> } | null = null;

  return async (writer, rows) => {
    if (known?.count !== rows.length) {
      const values = rows.map(() => row).join(", ");
      known = {
        count: rows.length,
        insert: statement<never>(`insert into ${table} (${columns.join(", ")}) values ${values}`),
      };
    }
    await known.insert(writer, rows.flat());
  };
}
