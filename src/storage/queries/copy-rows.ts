import { sql, type Kysely, type RawBuilder, type SqlBool, type Transaction } from "kysely";
import type { Reader, Writer } from "../tables/database.ts";
import type { Tables } from "../tables/schema.ts";

/** A row of any table. Columns have the same names and values in every database. */
export type AnyRow = Readonly<Record<string, unknown>>;
type AnyTables = Record<string, Record<string, unknown>>;

interface CopiedRows {
  readonly table: keyof Tables;
  /** Columns that order the rows. */
  readonly key: readonly string[];
  /** Default: every row. */
  readonly where?: RawBuilder<SqlBool>;
  readonly change?: (row: AnyRow) => AnyRow;
  /** Rows per statement. Rows can be large, so only a few are read at once. */
  readonly pageSize?: number;
}

/** Copies rows page by page. Rows that the target has are kept. Returns the number of rows inserted. */
export async function copyRows(
  reader: Reader,
  writer: Writer,
  { table, key, where, change = (row) => row, pageSize = 50 }: CopiedRows,
): Promise<number> {
  const [from, to] = [anyTables(reader), anyTables(writer)];
  const place = sql.join(key.map((column) => sql.ref(column)));
  let copied = 0;
  let last: AnyRow | undefined;
  do {
    let query = from.selectFrom(table).selectAll();
    if (where) query = query.where(where);
    if (last) {
      const values = sql.join(key.map((column) => last?.[column]));
      query = query.where(sql<SqlBool>`(${place}) > (${values})`);
    }
    const page: AnyRow[] = await query.orderBy(place).limit(pageSize).execute();
    if (page.length > 0) {
      const insert = to.insertInto(table).values(page.map(change));
      const rows = await insert
        .onConflict((conflict) => conflict.doNothing())
        .returning(key)
        .execute();
      copied += rows.length;
    }
    last = page.at(-1);
  } while (last);
  return copied;
}

/** The same database, for queries whose tables are known only when they run. */
export function anyTables(database: Reader | Writer): Kysely<AnyTables> {
  return database as unknown as Transaction<AnyTables>;
}
