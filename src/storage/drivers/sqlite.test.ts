import { DatabaseSync } from "node:sqlite";
import { Kysely, sql } from "kysely";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { sqliteDialect } from "./sqlite.ts";

function open(file: string): { kysely: Kysely<unknown>; connection: DatabaseSync } {
  const connection = new DatabaseSync(file, { timeout: 20 });
  return { kysely: new Kysely({ dialect: sqliteDialect(connection) }), connection };
}

test("a transaction takes the write lock when it begins, not when it first writes", async () => {
  await using folder = await temporaryFolder();
  const [one, two] = [open(folder.file("x.db")), open(folder.file("x.db"))];
  const transaction = await one.kysely.startTransaction().execute();
  await expect(two.kysely.startTransaction().execute()).rejects.toMatchObject({ code: "storage_unavailable" });
  await transaction.rollback().execute();
  await (await two.kysely.startTransaction().execute()).rollback().execute();
  one.connection.close();
  two.connection.close();
});

test("a schema change is rolled back like any other", async () => {
  const { kysely, connection } = open(":memory:");
  const transaction = await kysely.startTransaction().execute();
  await transaction.schema.createTable("note").addColumn("text", "text").execute();
  await transaction.rollback().execute();
  expect(await kysely.introspection.getTables()).toEqual([]);
  connection.close();
});

test("a transaction that SQLite has already rolled back can still be ended", async () => {
  const { kysely, connection } = open(":memory:");
  const transaction = await kysely.startTransaction().execute();
  connection.exec("rollback");
  await transaction.rollback().execute();
  await (await kysely.startTransaction().execute()).commit().execute();
  expect(connection.isTransaction).toBe(false);
  connection.close();
});

test("any number of different statements is fine", async () => {
  const { kysely, connection } = open(":memory:");
  for (let index = 0; index < 500; index += 1) {
    const { rows } = await sql<{ value: number }>`select ${sql.lit(index)} as value`.execute(kysely);
    expect(rows).toEqual([{ value: index }]);
  }
  connection.close();
});

test("the number of changed rows is told", async () => {
  const { kysely, connection } = open(":memory:");
  await sql`create table note (text)`.execute(kysely);
  await sql`insert into note values ('a'), ('b')`.execute(kysely);
  expect((await sql`update note set text = 'c'`.execute(kysely)).numAffectedRows).toBe(2n);
  connection.close();
});
