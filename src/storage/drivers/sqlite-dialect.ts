import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type LimitNode,
  type QueryResult,
} from "kysely";
import type { InProcessAdapter } from "../queries/statement.ts";
import { returnsRows, rollBack } from "./sqlite-connection.ts";
import { fromSqliteError } from "./sqlite-error.ts";

/**
 * Prepared statements kept. Ours are a few dozen; lists of varying length add more, so the least recently used are
 * dropped.
 */
const cachedStatements = 200;

/** Kysely on one `node:sqlite` connection. The caller closes the connection. */
export function sqliteDialect(database: DatabaseSync): Dialect {
  const connection = new SqliteConnection(database);
  return {
    createAdapter: () => new SingleConnectionAdapter(connection),
    createDriver: () => new SqliteDriver(database, connection),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteCompiler(),
  };
}

/**
 * Writes `limit ? + 0`. With a bare `limit ?`, SQLite looks at the bound value while planning and plans again for each
 * value, which makes a short query three times slower.
 */
export class SqliteCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    super.visitLimit(node);
    this.append(" + 0");
  }
}

class SingleConnectionAdapter extends SqliteAdapter implements InProcessAdapter {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    super();
    this.#connection = connection;
  }

  /** SQLite rolls back schema changes too; kysely's adapter denies it out of caution. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  run<Row>(text: string, values: readonly unknown[]): readonly Row[] {
    return this.#connection.query<Row>(text, values).rows;
  }
}

class SqliteDriver implements Driver {
  readonly #database: DatabaseSync;
  readonly #connection: SqliteConnection;

  constructor(database: DatabaseSync, connection: SqliteConnection) {
    this.#database = database;
    this.#connection = connection;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {}

  /**
   * Takes the write lock at once: a transaction that reads first and locks later fails when another one writes in
   * between.
   */
  async beginTransaction(): Promise<void> {
    this.#connection.execute("begin immediate");
  }

  async commitTransaction(): Promise<void> {
    this.#connection.execute("commit");
  }

  async rollbackTransaction(): Promise<void> {
    rollBack(this.#database);
  }

  async destroy(): Promise<void> {}
}

interface CachedStatement {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
}

class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, CachedStatement>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  execute(sql: string): void {
    try {
      this.#prepare(sql).statement.run();
    } catch (error) {
      throw fromSqliteError(error);
    }
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    return this.query<Row>(sql, parameters);
  }

  query<Row>(sql: string, parameters: readonly unknown[]): QueryResult<Row> {
    try {
      const { statement, ...cached } = this.#prepare(sql);
      const values = parameters as readonly SQLInputValue[];
      if (cached.returnsRows) return { rows: statement.all(...values) as Row[] };
      return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) };
    } catch (error) {
      throw fromSqliteError(error);
    }
  }

  streamQuery(): never {
    throw new Error("An open cursor would block checkpoints: read long lists in pages, by key");
  }

  #prepare(sql: string): CachedStatement {
    const known = this.#statements.get(sql);
    if (known) {
      this.#statements.delete(sql);
      this.#statements.set(sql, known);
      return known;
    }
    const statement = this.#database.prepare(sql);
    const cached = { statement, returnsRows: returnsRows(statement, sql) };
    this.#statements.set(sql, cached);
    if (this.#statements.size > cachedStatements) this.#statements.delete(this.#statements.keys().next().value!);
    return cached;
  }
}
