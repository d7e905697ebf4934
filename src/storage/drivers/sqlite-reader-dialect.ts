import { SqliteAdapter, SqliteIntrospector } from "kysely";
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from "kysely";
import { SqliteCompiler } from "./sqlite-compiler.ts";
import type { SqliteReader } from "./sqlite-reader.ts";

/** kysely on the reader's thread: queries only. */
export function sqliteReaderDialect(reader: SqliteReader): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new ReaderDriver(reader),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteCompiler(),
  };
}

class ReaderDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(reader: SqliteReader) {
    this.#connection = {
      async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
        return { rows: (await reader.query(sql, parameters)) as Row[] };
      },
      streamQuery: refuse,
    };
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {}

  beginTransaction = refuse;
  commitTransaction = refuse;
  rollbackTransaction = refuse;

  async destroy(): Promise<void> {}
}

function refuse(): never {
  throw new Error("The reader's thread answers single queries: it neither writes nor keeps a cursor open");
}
