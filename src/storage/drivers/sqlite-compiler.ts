import { SqliteQueryCompiler, type LimitNode } from "kysely";

/**
 * Writes `limit ? + 0`. Of a bare `limit ?` SQLite looks at the value while it plans, and so plans anew each time a value is
 * bound: a short query then takes three times as long. It does not look into sums.
 */
export class SqliteCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    super.visitLimit(node);
    this.append(" + 0");
  }
}
