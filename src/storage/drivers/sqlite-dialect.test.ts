import { DatabaseSync } from "node:sqlite";
import { Kysely, sql } from "kysely";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { sqliteDialect } from "./sqlite-dialect.ts";

function open(file: string): { kysely: Kysely<unknown>; connection: DatabaseSync } {
  const connection = new DatabaseSync(file, { timeout: 20 });
  return { kysely: new Kysely({ dialect: sqliteDialect(connection) }), connection };
}

test("takes the write lock when a transaction begins", async () => {
  await using folder = await temporaryFolder();
  const [one, two] = [open(folder.file("x.db")), open(folder.file("x.db"))];
  const transaction = await one.kysely.startTransaction().execute();
  await expect(two.kysely.startTransaction().execute()).rejects.toMatchObject({ code: "storage_unavailable" });
  await transaction.rollback().execute();
  await (await two.kysely.startTransaction().execute()).rollback().execute();
  one.connection.close();
  two.connection.close();
});

test("rolls back schema changes", async () => {
  const { kysely, connection } = open(":memory:");
  const transaction = await kysely.startTransaction().execute();
  await transaction.schema.createTable("note").addColumn("text", "text").execute();
  await transaction.rollback().execute();
  expect(await kysely.introspection.getTables()).toEqual([]);
  connection.close();
});

test("ends a transaction that SQLite has already rolled back", async () => {
  const { kysely, connection } = open(":memory:");
  const transaction = await kysely.startTransaction().execute();
  connection.exec("rollback");
  await transaction.rollback().execute();
  await (await kysely.startTransaction().execute()).commit().execute();
  expect(connection.isTransaction).toBe(false);
  connection.close();
});

test("runs any number of different statements", async () => {
  const { kysely, connection } = open(":memory:");
  for (let index = 0; index < 500; index += 1) {
    const { rows } = await sql<{ value: number }>`select ${sql.lit(index)} as value`.execute(kysely);
    expect(rows).toEqual([{ value: index }]);
  }
  connection.close();
});

test("reports the number of changed rows", async () => {
  const { kysely, connection } = open(":memory:");
  await sql`create table note (text)`.execute(kysely);
  await sql`insert into note values ('a'), ('b')`.execute(kysely);
  expect((await sql`update note set text = 'c'`.execute(kysely)).numAffectedRows).toBe(2n);
  connection.close();
});

function openItems(): Kysely<{ item: { id: number } }> {
  const database = new Kysely<{ item: { id: number } }>({ dialect: sqliteDialect(new DatabaseSync(":memory:")) });
  return database;
}

test("hides the value of a limit from the planner", () => {
  const { sql: text, parameters } = openItems().selectFrom("item").select("id").limit(2).compile();
  expect(text).toBe('select "id" from "item" limit ? + 0');
  expect(parameters).toEqual([2]);
});

test("applies a limit with and without an offset", async () => {
  const database = openItems();
  await sql`create table item (id integer primary key)`.execute(database);
  await database
    .insertInto("item")
    .values([1, 2, 3, 4, 5].map((id) => ({ id })))
    .execute();
  const query = database.selectFrom("item").select("id").orderBy("id").limit(2);
  expect(await query.execute()).toEqual([{ id: 1 }, { id: 2 }]);
  expect(await query.offset(3).execute()).toEqual([{ id: 4 }, { id: 5 }]);
});
