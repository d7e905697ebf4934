import { expect, test } from "vitest";
import { openSqlite } from "../../src/storage/drivers/open-sqlite.ts";
import { hostClock } from "../../src/storage/tables/host.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { sampleReply, sampleRun } from "./sample-runs.ts";

const hour = 3_600_000;
const day = 24 * hour;

test.each([hour, -hour])("no lease is lost when the wall clock jumps by %i ms", async (jump) => {
  let wall = 1_700_000_000_000;
  const clock = { now: () => wall, steady: () => 5_000 };
  await using storage = await openSqlite({ file: ":memory:", clock });
  await storage.store.runs.create(sampleRun());
  const [claimed] = await storage.queue.claim({ worker: "w", limit: 1, perRun: 1 });
  wall += jump;
  expect(await storage.queue.claim({ worker: "other", limit: 1, perRun: 9 })).toEqual([]);
  expect(await storage.queue.heartbeat("w", [claimed!.lease])).toEqual([]);
  const turn = { turn_index: 0, reply: sampleReply(), scores: null };
  expect(await storage.store.interactions.store(claimed!.lease, turn)).toBe(true);
});

test("leases and delays set before the host restarted are over", async () => {
  await using folder = await temporaryFolder();
  const file = folder.file("rehearsal.db");
  const before = await openSqlite({ file, clock: { now: Date.now, steady: () => 10 * day } });
  await before.store.runs.create(sampleRun({ scenarios: 2 }));
  const [, delayed] = await before.queue.claim({ worker: "elsewhere:1:x", limit: 2, perRun: 2 });
  await before.queue.release(delayed!.lease, { delay_ms: hour });
  await before.close();

  await using after = await openSqlite({ file, clock: { now: Date.now, steady: () => 60_000 } });
  expect(await after.queue.claim({ worker: "w", limit: 9, perRun: 9 })).toHaveLength(2);
});

test("a delay is never longer than an hour", async () => {
  let steady = 1_000;
  await using storage = await openSqlite({ file: ":memory:", clock: { now: Date.now, steady: () => steady } });
  await storage.store.runs.create(sampleRun());
  const [claimed] = await storage.queue.claim({ worker: "w", limit: 1, perRun: 1 });
  await storage.queue.release(claimed!.lease, { delay_ms: Number.POSITIVE_INFINITY });
  steady += hour - 1;
  expect(await storage.queue.claim({ worker: "w", limit: 1, perRun: 1 })).toEqual([]);
  steady += 1;
  expect(await storage.queue.claim({ worker: "w", limit: 1, perRun: 1 })).toHaveLength(1);
});

test("the steady clock goes forward and is that of the host", () => {
  const [first, second] = [hostClock.steady(), hostClock.steady()];
  expect(second).toBeGreaterThanOrEqual(first);
  expect(Number.isSafeInteger(first)).toBe(true);
});
