import { expect, test } from "vitest";
import { patienceMs, sizes } from "../support/sizes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { nothingLost } from "./check-runs.ts";
import { killCycles } from "./kill-cycles.ts";
import { storedAtInFile } from "./stored-at.ts";

test(
  `after ${sizes.sqliteKills} kills of a worker or the service, SQLite has every turn once and every run has ended`,
  async () => {
    await using folder = await temporaryFolder();
    const file = folder.file("rehearsal.db");
    const findings = await killCycles({
      address: file,
      cycles: sizes.sqliteKills,
      workers: 1,
      serviceEvery: Math.min(5, sizes.sqliteKills),
      readStoredAt: () => storedAtInFile(file),
    });
    expect(findings).toMatchObject(nothingLost);
    expect(findings.stored).toBe(findings.turns);
  },
  patienceMs,
);
