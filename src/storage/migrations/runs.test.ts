import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { expect, test } from "vitest";
import { sqliteDialect } from "../drivers/sqlite-dialect.ts";
import { runMigrations } from "./runs.ts";

test("keeps the progress of a run that is under way during the migration", async () => {
  const connection = new DatabaseSync(":memory:");
  const database = new Kysely<unknown>({ dialect: sqliteDialect(connection) });
  await runMigrations["0001-runs"].up(database);
  for (const [id, state] of [
    ["going", "running"],
    ["new", "queued"],
  ]) {
    connection.exec(`insert into run (id, state, priority, demo, settings, warnings, message, test_name, model_id, created_at,
      attempts_total, interactions_total) values ('${id}', '${state}', 0, 0, '{}', '[]', '""', '""', '""', 1, 3, 6)`);
    connection.exec(`insert into run_sequence (run_id, last) values ('${id}', 4)`);
  }
  connection.exec(`insert into attempt (id, run_id, scenario_index, attempt, state, interactions_done, interactions_failed)
    values ('a', 'going', 0, 1, 'done', 2, 1), ('b', 'going', 1, 1, 'running', 1, 0), ('c', 'going', 2, 1, 'ready', 0, 0)`);

  await runMigrations["0007-progress"].up(database);

  expect(connection.prepare("select * from run_sequence order by run_id").all()).toEqual([
    { run_id: "going", last: 4, attempts_done: 1, interactions_done: 3, interactions_failed: 1 },
    { run_id: "new", last: 4, attempts_done: 0, interactions_done: 0, interactions_failed: 0 },
  ]);
  connection.close();
});
