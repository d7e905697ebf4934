import { afterAll, beforeAll, expect, test } from "vitest";
import { startPostgres, type TestPostgres } from "../support/postgres.ts";
import { nothingLost } from "./check-runs.ts";
import { killCycles } from "./kill-cycles.ts";
import { storedAtQuery, toStoredAt } from "./stored-at.ts";

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

test("10 times kill -9 of one of two workers or of the service on PostgreSQL, which crashes too: nothing lost, nothing doubled", async () => {
  await using database = await postgres.createDatabase();
  const findings = await killCycles({
    address: database.url,
    cycles: 10,
    workers: 2,
    serviceEvery: 5,
    readStoredAt: async () => toStoredAt(await database.query(storedAtQuery)),
    async between(cycle) {
      if (cycle === 3 || cycle === 7) await postgres.restart?.();
    },
  });
  expect(findings).toMatchObject(nothingLost);
  expect(findings.stored).toBe(findings.turns);
}, 400_000);
