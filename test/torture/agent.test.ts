import { expect, test } from "vitest";
import { patienceMs, sizes } from "../support/sizes.ts";
import { createTestDatabase } from "../support/shared-postgres.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { killAgents, noTurnLost, openRunsIn, openRunsInFile } from "./agent-kills.ts";

test(
  `after ${sizes.sqliteKills} kills of the agent backend, each turn is in its thread once and each call was made once`,
  async () => {
    await using folder = await temporaryFolder();
    const file = folder.file("rehearsal.db");
    const findings = await killAgents({
      database: `sqlite:${file}`,
      cycles: sizes.sqliteKills,
      backends: 1,
      countOpenRuns: () => openRunsInFile(file),
    });
    expect(findings).toMatchObject(noTurnLost);
  },
  patienceMs,
);

test(
  `the same with two backends on PostgreSQL, after ${sizes.postgresKills} kills of one of them`,
  async () => {
    await using database = await createTestDatabase();
    const findings = await killAgents({
      database: database.url,
      cycles: sizes.postgresKills,
      backends: 2,
      countOpenRuns: () => openRunsIn(database),
    });
    expect(findings).toMatchObject(noTurnLost);
  },
  patienceMs,
);
