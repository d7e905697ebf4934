import { statement } from "./statement.ts";

type Insert = ReturnType<typeof statement<never>>;

/**
 * The insert of so many rows of one shape, given as one list of values. Each number of rows is a text of its own, made once: a
 * database keeps it ready, together with the values it had last, so there should be few.
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
