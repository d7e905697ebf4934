import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { expect, test } from "vitest";
import { sqliteDialect } from "../drivers/sqlite-dialect.ts";
import type { Tables } from "../tables/schema.ts";
import { statement } from "./statement.ts";

test("runs inside the given transaction and is rolled back with it", async () => {
  const connection = new DatabaseSync(":memory:");
  connection.exec("create table note (text not null unique)");
  const database = new Kysely<Tables>({ dialect: sqliteDialect(connection) });
  const insert = statement<{ text: string }>("insert into note values (?) returning text");

  const transaction = await database.startTransaction().execute();
  expect(await insert(transaction, ["kept in mind"])).toEqual([{ text: "kept in mind" }]);
  await transaction.rollback().execute();
  expect(connection.prepare("select count(*) as count from note").get()).toEqual({ count: 0 });

  await insert(database, ["kept"]);
  await expect(insert(database, ["kept"])).rejects.toThrow(/unique/i);
  connection.close();
});
