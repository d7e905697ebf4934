import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { nothingLost } from "./check-runs.ts";
import { killCycles } from "./kill-cycles.ts";
import { storedAtInFile } from "./stored-at.ts";

test("30 times kill -9 on SQLite, of a worker or the whole service: every turn stored once, none asked for again, every run ended", async () => {
  await using folder = await temporaryFolder();
  const file = folder.file("rehearsal.db");
  const findings = await killCycles({
    address: file,
    cycles: 30,
    workers: 1,
    serviceEvery: 10,
    readStoredAt: () => storedAtInFile(file),
  });
  expect(findings).toMatchObject(nothingLost);
  expect(findings.stored).toBe(findings.turns);
}, 400_000);
