import { expect, test } from "vitest";
import { openPostgres } from "../../src/storage/drivers/open-postgres.ts";
import { StoreFileError } from "../../src/storage/tables/database.ts";
import { createTestDatabase } from "../support/shared-postgres.ts";
import { sampleRun } from "./sample-runs.ts";

const everything = { worker: "w", limit: 100, perRun: 100 };
const byHand = { sweepMs: 0, lookMs: 0 };
const slices =
  "select state, group_id, priority from pgboss.job where name = 'rehearsal-slice' and state < 'completed'";
/** What pg-boss does when a slice is silent for long. */
const silence = "update pgboss.job set heartbeat_on = heartbeat_on - interval '1 minute' where state = 'active'";

test("a run is stored with one slice, whose first claim sends the others its concurrency allows", async () => {
  await using database = await createTestDatabase();
  await using storage = await openPostgres({ url: database.url, ...byHand });
  const run = sampleRun({ scenarios: 200, priority: 7, settings: { concurrency: 24 } });
  await storage.store.runs.create(run);
  expect(await database.query(slices)).toEqual([{ state: "created", group_id: run.id, priority: 7 }]);
  expect(await storage.queue.claim({ ...everything, limit: 1 })).toHaveLength(1);
  expect((await database.query(slices)).map(({ state }) => state).sort()).toEqual([
    "active",
    "created",
    "created",
    "created",
  ]);
  expect(await storage.queue.claim(everything)).toHaveLength(23);
});

test("a run that cannot be stored leaves no slice behind, one that ended none after the next claim", async () => {
  await using database = await createTestDatabase();
  await using storage = await openPostgres({ url: database.url, ...byHand });
  const run = sampleRun({ scenarios: 3 });
  await storage.store.runs.create(run);
  await expect(storage.store.runs.create({ ...run, scenarios: run.scenarios.slice(0, 1) })).rejects.toThrow("run_pkey");
  expect(await database.query(slices)).toHaveLength(1);
  await storage.store.runs.cancel(run.id);
  expect(await storage.queue.claim(everything)).toEqual([]);
  expect(await database.query(slices)).toEqual([]);
});

test("runs take turns in the order of their slices, and each has all its attempts executed", async () => {
  await using database = await createTestDatabase();
  await using storage = await openPostgres({ url: database.url, ...byHand });
  const runs = ["a", "b"].map((id) => sampleRun({ id, scenarios: 40, settings: { concurrency: 4 } }));
  for (const run of runs) await storage.store.runs.create(run);
  const served: string[] = [];
  for (;;) {
    const [claimed] = await storage.queue.claim({ ...everything, limit: 1 });
    if (!claimed) break;
    served.push(claimed.run_id);
    await storage.queue.finish(claimed.lease, { average_scores: {} });
  }
  const counts = ["a", "b"].map((id) => served.slice(0, 40).filter((run) => run === id).length);
  expect(counts).toEqual([20, 20]);
  expect(served).toHaveLength(80);
  expect([...(await storage.store.runs.unconcluded())].sort()).toEqual(["a", "b"]);
  expect(await database.query(slices)).toEqual([]);
});

test("the slice of a cancelled run takes the place of no other run", async () => {
  await using database = await createTestDatabase();
  await using storage = await openPostgres({ url: database.url, ...byHand });
  const runs = Array.from({ length: 3 }, () => sampleRun({ scenarios: 2 }));
  for (const run of runs) await storage.store.runs.create(run);
  await storage.store.runs.cancel(runs[0]!.id);
  const claimed = await storage.queue.claim({ ...everything, limit: 2 });
  expect(claimed.map(({ run_id }) => run_id).sort()).toEqual([runs[1]!.id, runs[2]!.id].sort());
});

test("more runs than places share them: each is served before any gets much more", async () => {
  await using database = await createTestDatabase();
  await using storage = await openPostgres({ url: database.url, ...byHand });
  const runs = Array.from({ length: 6 }, () => sampleRun({ scenarios: 60 }));
  for (const run of runs) await storage.store.runs.create(run);
  const served = new Map(runs.map(({ id }) => [id, 0]));
  let claimed = await storage.queue.claim({ ...everything, limit: 2 });
  for (let calls = 0; calls < 120; calls += 1) {
    const [first, ...others] = claimed;
    served.set(first!.run_id, served.get(first!.run_id)! + 1);
    await storage.queue.finish(first!.lease, { average_scores: {} });
    claimed = [...others, ...(await storage.queue.claim({ ...everything, limit: 2 - others.length }))];
  }
  expect(Math.min(...served.values())).toBeGreaterThanOrEqual(12);
  expect(Math.max(...served.values())).toBeLessThanOrEqual(28);
});

test("the slices of a silent worker go to another, which takes its attempts over; the first can end neither", async () => {
  await using database = await createTestDatabase();
  await using silent = await openPostgres({ url: database.url, ...byHand });
  await using other = await openPostgres({ url: database.url, ...byHand });
  await silent.store.runs.create(sampleRun({ scenarios: 2 }));
  const [first] = await silent.queue.claim({ ...everything, worker: "silent", limit: 1 });
  expect(await other.queue.claim(everything)).toEqual([]);
  await database.query(silence);
  await database.query("update attempt set lease_until = 0 where state = 'running'");
  await other.queue.recover();
  const taken = await other.queue.claim(everything);
  expect(taken.map(({ tries }) => tries)).toEqual([2, 1]);
  expect(await silent.queue.finish(first!.lease, { average_scores: {} })).toMatchObject({ finished: false });
  expect(await silent.queue.claim(everything)).toEqual([]);
  for (const { lease } of taken) {
    expect(await other.queue.finish(lease, { average_scores: {} })).toMatchObject({ finished: true });
  }
  expect(await other.queue.claim(everything)).toEqual([]);
  expect(await database.query(slices)).toEqual([]);
});

test("a process that closes returns its slices at once", async () => {
  await using database = await createTestDatabase();
  await using storage = await openPostgres({ url: database.url, ...byHand });
  await storage.store.runs.create(sampleRun({ scenarios: 2 }));
  const closing = await openPostgres({ url: database.url, ...byHand });
  const [claimed] = await closing.queue.claim({ ...everything, limit: 1 });
  await closing.queue.release(claimed!.lease);
  expect(await storage.queue.claim(everything)).toEqual([]);
  await closing.close();
  expect(await storage.queue.claim(everything)).toHaveLength(2);
});

test("a run is given up when worker after worker died on the same slice", async () => {
  await using database = await createTestDatabase();
  await using storage = await openPostgres({ url: database.url, sweepMs: 20, lookMs: 0 });
  const run = sampleRun();
  await storage.store.runs.create(run);
  await storage.queue.claim({ ...everything, worker: "elsewhere:1:w" });
  await database.query("update pgboss.job set retry_count = retry_limit where state = 'active'");
  await database.query(silence);
  await expect.poll(() => storage.queue.takeAbandoned?.(), { timeout: 20_000 }).toEqual([run.id]);
});

test.each([
  ["a newer version", "insert into kysely_migration values ('9999-future', '2099-01-01')", '(it has "9999-future")'],
  [
    "a version before 0.2.0",
    "update kysely_migration set name = '0001-runs' where name like '0001%'",
    "rehearsal report <run> -o",
  ],
])("a database made by %s is refused and left unchanged", async (version, change, advice) => {
  await using database = await createTestDatabase();
  await (await openPostgres({ url: database.url })).close();
  await database.query(change);
  const before = await database.query("select * from kysely_migration");
  const failure: unknown = await openPostgres({ url: database.url }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StoreFileError);
  expect(String(failure)).toContain(`created by ${version}`);
  expect(String(failure)).toContain(advice);
  expect(await database.query("select * from kysely_migration")).toEqual(before);
});

test("a server that is not there is storage_unavailable", async () => {
  const url = "postgres://nobody@127.0.0.1:9/nothing";
  await expect(openPostgres({ url })).rejects.toMatchObject({ code: "storage_unavailable" });
});
