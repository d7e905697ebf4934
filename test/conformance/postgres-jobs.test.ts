import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { openPostgres } from "../../src/storage/drivers/open-postgres.ts";
import { StoreFileError } from "../../src/storage/database.ts";
import { createTestDatabase } from "../support/shared-postgres.ts";
import { sampleRun } from "./sample-runs.ts";

const everything = { worker: "w", limit: 100, perRun: 100 };
const liveJobs = "select id from pgboss.job where name = 'rehearsal-attempt' and state < 'completed'";

test("a job that was lost or ended by mistake is made again", async () => {
  await using database = await createTestDatabase();
  await using storage = await openPostgres({ url: database.url, sweepMs: 0, reconcileMs: 0 });
  await storage.store.runs.create(sampleRun({ scenarios: 6 }));
  await database.query(`delete from pgboss.job where id in (${liveJobs} order by id limit 2)`);
  await database.query(`update pgboss.job set state = 'completed' where id in (${liveJobs} order by id limit 2)`);
  expect(await storage.queue.claim(everything)).toHaveLength(2);
  await storage.queue.recover();
  expect(await storage.queue.claim({ ...everything, worker: "other" })).toHaveLength(4);
  await storage.queue.recover();
  expect(await storage.queue.claim(everything)).toEqual([]);
});

test("an attempt whose job is lost is executed again", async () => {
  await using database = await createTestDatabase();
  await using storage = await openPostgres({ url: database.url, sweepMs: 0, reconcileMs: 0 });
  await storage.store.runs.create(sampleRun());
  const [first] = await storage.queue.claim(everything);
  await database.query("delete from pgboss.job");
  const [second] = await storage.queue.claim({ ...everything, worker: "other" });
  expect(second?.lease).toEqual({ attempt_id: first!.lease.attempt_id, fence: 2 });
  expect(await storage.queue.finish(first!.lease, { average_scores: {} })).toMatchObject({ finished: false });
  expect(await storage.queue.finish(second!.lease, { average_scores: {} })).toMatchObject({ finished: true });
});

test("a longer lease holds for what is queued already, too", async () => {
  await using database = await createTestDatabase();
  const options = { url: database.url, sweepMs: 0, reconcileMs: 0 };
  await using storage = await openPostgres(options);
  await storage.store.runs.create(sampleRun({ scenarios: 2 }));
  await storage.close();
  await using longer = await openPostgres({ ...options, heartbeatSeconds: 60 });
  const [first] = await longer.queue.claim({ ...everything, limit: 1 });
  await longer.store.runs.create(sampleRun());
  expect(await database.query("select distinct heartbeat_seconds from pgboss.job where state < 'completed'")).toEqual([
    { heartbeat_seconds: 60 },
  ]);
  await database.query("update pgboss.job set heartbeat_on = heartbeat_on - interval '40 s' where state = 'active'");
  await longer.queue.recover();
  expect(await longer.queue.heartbeat(everything.worker, [first!.lease])).toEqual([]);
});

test("a doubled job hands out nothing twice and goes away", async () => {
  await using database = await createTestDatabase();
  await using storage = await openPostgres({ url: database.url, sweepMs: 0, reconcileMs: 0 });
  await storage.store.runs.create(sampleRun({ scenarios: 3 }));
  await database.query(
    `insert into pgboss.job (name, data, priority, created_on)
     select name, data, priority, created_on - interval '1 hour' from pgboss.job where state = 'created'`,
  );
  await database.query("insert into pgboss.job (name, data) values ('rehearsal-attempt', $1)", [
    JSON.stringify({ attempt_id: randomUUID() }),
  ]);
  const claimed = [];
  // The copies come first and are thrown away, so it takes a second claim to get to the real ones.
  for (let round = 0; round < 3; round += 1) claimed.push(...(await storage.queue.claim(everything)));
  expect(new Set(claimed.map(({ lease }) => lease.attempt_id)).size).toBe(3);
  expect(claimed.map(({ lease }) => lease.fence)).toEqual([1, 1, 1]);
  for (const { lease } of claimed) await storage.queue.finish(lease, { average_scores: {} });
  await storage.queue.recover();
  expect(await database.query(liveJobs)).toEqual([]);
});

test("a live job of a finished attempt is ended", async () => {
  await using database = await createTestDatabase();
  await using storage = await openPostgres({ url: database.url, sweepMs: 0, reconcileMs: 0 });
  await storage.store.runs.create(sampleRun({ scenarios: 2 }));
  const [first] = await storage.queue.claim({ ...everything, limit: 1 });
  await storage.queue.finish(first!.lease, { average_scores: {} });
  await database.query("update pgboss.job set state = 'retry' where id = $1", [first!.lease.attempt_id]);
  expect(await storage.queue.claim(everything)).toMatchObject([{ tries: 1 }]);
  await storage.queue.recover();
  expect(await database.query(liveJobs)).toHaveLength(1);
});

test("a run that cannot be stored leaves no job behind, and a cancelled one none after a sweep", async () => {
  await using database = await createTestDatabase();
  await using storage = await openPostgres({ url: database.url, sweepMs: 0, reconcileMs: 0 });
  const run = sampleRun({ scenarios: 3 });
  await storage.store.runs.create(run);
  await expect(storage.store.runs.create({ ...run, scenarios: run.scenarios.slice(0, 1) })).rejects.toThrow("run_pkey");
  expect(await database.query(liveJobs)).toHaveLength(3);
  await storage.store.runs.cancel(run.id);
  await storage.queue.recover();
  expect(await database.query(liveJobs)).toEqual([]);
});

test("a database made by a newer version is refused and left unchanged", async () => {
  await using database = await createTestDatabase();
  await (await openPostgres({ url: database.url })).close();
  await database.query("insert into kysely_migration values ('9999-future', '2099-01-01')");
  const failure: unknown = await openPostgres({ url: database.url }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StoreFileError);
  expect(String(failure)).toContain('created by a newer version (it has "9999-future")');
});

test("a server that is not there is storage_unavailable", async () => {
  const url = "postgres://nobody@127.0.0.1:9/nothing";
  await expect(openPostgres({ url })).rejects.toMatchObject({ code: "storage_unavailable" });
});
