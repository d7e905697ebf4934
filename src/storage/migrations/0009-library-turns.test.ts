import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { expect, test } from "vitest";
import { toJsonText } from "../json-text.ts";
import { sqliteDialect } from "../drivers/sqlite.ts";
import { turnsHash } from "../queries/library.ts";
import { sampleInteraction, sampleScenario } from "../../../test/conformance/sample-runs.ts";
import * as library from "./0002-library.ts";
import * as turns from "./0009-library-turns.ts";

test("scenarios that were kept before are found by their turns, too", async () => {
  const connection = new DatabaseSync(":memory:");
  const database = new Kysely<unknown>({ dialect: sqliteDialect(connection) });
  await library.up(database);
  const scenario = {
    ...sampleScenario("a"),
    interactions: [sampleInteraction({ user_message: 'Say "\ud800"', reference_reply: "\u0000" })],
  };
  connection
    .prepare("insert into library_scenario values ('\"a\"', 'v1', 1, ?, '', 1, 0, 1)")
    .run(toJsonText(scenario));

  await turns.up(database);

  expect(connection.prepare("select turns from library_scenario").get()).toEqual({ turns: turnsHash(scenario) });
  connection.close();
});
