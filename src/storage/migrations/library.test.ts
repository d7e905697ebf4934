import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { expect, test } from "vitest";
import { toJsonText } from "../text-columns.ts";
import { sqliteDialect } from "../drivers/sqlite-dialect.ts";
import { turnsHash } from "../queries/library.ts";
import { sampleInteraction, sampleScenario } from "../../../test/conformance/sample-runs.ts";
import { libraryMigrations } from "./library.ts";

test("hashes the turns of scenarios that were stored before", async () => {
  const connection = new DatabaseSync(":memory:");
  const database = new Kysely<unknown>({ dialect: sqliteDialect(connection) });
  await libraryMigrations["0002-library"].up(database);
  const scenario = {
    ...sampleScenario("a"),
    interactions: [sampleInteraction({ user_message: 'Say "\ud800"', reference_reply: "\u0000" })],
  };
  connection
    .prepare("insert into library_scenario values ('\"a\"', 'v1', 1, ?, '', 1, 0, 1)")
    .run(toJsonText(scenario));

  await libraryMigrations["0009-library-turns"].up(database);

  expect(connection.prepare("select turns from library_scenario").get()).toEqual({ turns: turnsHash(scenario) });
  connection.close();
});
