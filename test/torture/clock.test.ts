import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { hostClock } from "../../src/storage/tables/host.ts";
import { openSqlite } from "../../src/storage/drivers/open-sqlite.ts";
import { collect } from "../conformance/suite-helpers.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startTortureBench } from "./bench.ts";
import { tortureRun } from "./torture-run.ts";

test("a wall clock that jumps by hours, back and forth, costs no lease and no time runs backwards", async () => {
  await using folder = await temporaryFolder();
  const hour = 3_600_000;
  let jumps = 0;
  // Every look at the clock finds it somewhere else.
  const now = (): number => Date.now() + [0, hour, -hour, 24 * hour, -24 * hour][jumps++ % 5]!;
  const clock = { now, steady: hostClock.steady };
  await using storage = await openSqlite({ file: folder.file("rehearsal.db"), leaseMs: 2_000, clock });
  await using bench = await startTortureBench(storage, { now });
  const run = tortureRun({ id: randomUUIDv7(), endpoint: "http://model.test", scenarios: 20, turns: 3 });
  await storage.store.runs.create(run);
  const ended = await bench.ended(run.id);

  expect(ended.state).toBe("completed");
  expect(ended.started_at).toBeGreaterThanOrEqual(ended.created_at);
  expect(ended.finished_at).toBeGreaterThanOrEqual(ended.started_at!);
  const attempts = await collect(storage.store.attempts.withInteractions(run.id));
  expect(attempts.flatMap((attempt) => attempt.interactions)).toHaveLength(60);
  expect([...bench.calls.values()].filter((count) => count !== 1)).toEqual([]);
  expect(bench.errors).toEqual([]);
});
