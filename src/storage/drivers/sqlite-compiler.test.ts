import { DatabaseSync } from "node:sqlite";
import { Kysely, sql } from "kysely";
import { expect, it } from "vitest";
import { sqliteDialect } from "./sqlite.ts";

function open(): Kysely<{ item: { id: number } }> {
  const database = new Kysely<{ item: { id: number } }>({ dialect: sqliteDialect(new DatabaseSync(":memory:")) });
  return database;
}

it("hides the value of a limit from the planner", () => {
  const { sql: text, parameters } = open().selectFrom("item").select("id").limit(2).compile();
  expect(text).toBe('select "id" from "item" limit ? + 0');
  expect(parameters).toEqual([2]);
});

it("keeps to a limit, with and without an offset", async () => {
  const database = open();
  await sql`create table item (id integer primary key)`.execute(database);
  await database
    .insertInto("item")
    .values([1, 2, 3, 4, 5].map((id) => ({ id })))
    .execute();
  const query = database.selectFrom("item").select("id").orderBy("id").limit(2);
  expect(await query.execute()).toEqual([{ id: 1 }, { id: 2 }]);
  expect(await query.offset(3).execute()).toEqual([{ id: 4 }, { id: 5 }]);
});
