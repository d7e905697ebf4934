import { afterAll, beforeAll, expect, test } from "vitest";
import { openPostgres } from "../../src/storage/drivers/open-postgres.ts";
import { openSqlite, type OpenedStorage } from "../../src/storage/drivers/open-sqlite.ts";
import type { TestDatabase } from "../support/postgres.ts";
import { createTestDatabase } from "../support/shared-postgres.ts";
import { temporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts";
import { sampleRun } from "./sample-runs.ts";
import { ending } from "./suite-helpers.ts";

let database: TestDatabase;
let folder: TemporaryFolder;
beforeAll(async () => {
  [database, folder] = await Promise.all([createTestDatabase(), temporaryFolder()]);
});
afterAll(async () => {
  await Promise.all([database, folder].map((opened) => opened[Symbol.asyncDispose]()));
});

const at = 1_700_000_001_000;

/** The promises of every driver about the outbox of webhooks. */
function outboxTest(name: string, open: () => Promise<OpenedStorage>): void {
  test(`${name}: each end of a run is taken by one at a time, until it is settled`, async () => {
    await using here = await open();
    await using there = await open();
    const runs = Array.from({ length: 12 }, () => sampleRun());
    for (const run of runs) await here.store.runs.create(run);
    expect(await here.outbox.take({ now: at, holdMs: 1_000, limit: 100 })).toEqual([]);
    for (const run of runs) await here.store.runs.finish(run.id, ending({ at }));

    const takes = await Promise.all(
      [here, there, here, there].map(({ outbox }) => outbox.take({ now: at, holdMs: 1_000, limit: 5 })),
    );
    const ids = takes.flat().map((entry) => entry.run_id);
    expect(new Set(ids).size).toBe(ids.length);
    const rest = await here.outbox.take({ now: at, holdMs: 1_000, limit: 100 });
    expect(new Set([...ids, ...rest.map((entry) => entry.run_id)])).toEqual(new Set(runs.map((run) => run.id)));

    const [first, second] = runs;
    await there.outbox.settle(first!.id, { sent: ["a"], due: null });
    await there.outbox.settle(second!.id, { sent: ["a", "\u0000"], due: at + 5_000 });
    const expired = await here.outbox.take({ now: at + 1_000, holdMs: 10_000, limit: 100 });
    expect(expired).toHaveLength(10);
    expect(await here.outbox.take({ now: at + 5_000, holdMs: 1_000, limit: 100 })).toEqual([
      { run_id: second!.id, finished_at: at, tries: 2, sent: ["a", "\u0000"] },
    ]);
  });
}

/** A clock that was a day ahead, and has been put right since. */
function clockTest(name: string, open: () => Promise<OpenedStorage>): void {
  test(`${name}: the end of a run that lies ahead by the clock is delivered all the same, once`, async () => {
    await using storage = await open();
    const run = sampleRun();
    const day = 86_400_000;
    await storage.store.runs.create(run);
    await storage.store.runs.finish(run.id, ending({ at: at + day }));
    const take = (now: number) => storage.outbox.take({ now, holdMs: 1_000, limit: 1_000 });
    const ids = (entries: Awaited<ReturnType<typeof take>>) => entries.map((entry) => entry.run_id);
    expect(ids(await take(at))).toContain(run.id);
    expect(ids(await take(at))).not.toContain(run.id);
    await storage.outbox.settle(run.id, { sent: [], due: at + 3_600_000 });
    expect(ids(await take(at))).not.toContain(run.id);
  });
}

for (const suite of [outboxTest, clockTest]) {
  suite("SQLite", () => openSqlite({ file: folder.file("rehearsal.db") }));
  suite("PostgreSQL", () => openPostgres({ url: database.url, connections: 4 }));
}
