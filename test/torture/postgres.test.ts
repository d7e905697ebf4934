import { afterAll, beforeAll, expect, test } from "vitest";
import { startPostgres, type TestPostgres } from "../support/postgres.ts";
import { patienceMs, sizes } from "../support/sizes.ts";
import { nothingLost } from "./check-runs.ts";
import { killCycles } from "./kill-cycles.ts";
import { storedAtQuery, toStoredAt } from "./stored-at.ts";

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

test(
  `after ${sizes.postgresKills} kills of a worker or the service and a crash of PostgreSQL, every turn is stored once`,
  async () => {
    await using database = await postgres.createDatabase();
    const findings = await killCycles({
      address: database.url,
      cycles: sizes.postgresKills,
      workers: 2,
      serviceEvery: 3,
      readStoredAt: async () => toStoredAt(await database.query(storedAtQuery)),
      async between(cycle) {
        if (cycle % 20 === 1) await postgres.restart?.();
      },
    });
    expect(findings).toMatchObject(nothingLost);
    expect(findings.stored).toBe(findings.turns);
  },
  patienceMs,
);
