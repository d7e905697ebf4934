import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { copyDatabase } from "../../src/storage/drivers/sqlite-backup.ts";
import { openSqlite } from "../../src/storage/drivers/open-sqlite.ts";
import { StoreFileError } from "../../src/storage/tables/database.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { mountSmallDisk } from "../torture/small-disk.ts";
import { sampleReply, sampleRun } from "./sample-runs.ts";
import { collect } from "./suite-helpers.ts";

test("a backup taken while turns are stored is a whole database that can be worked on", async () => {
  await using folder = await temporaryFolder();
  await using storage = await openSqlite({ file: folder.file("rehearsal.db") });
  const run = sampleRun({ scenarios: 40, turns: 5 });
  await storage.store.runs.create(run);
  const claimed = await storage.queue.claim({ worker: "w", limit: 100, perRun: 100 });
  const reply = sampleReply({ agent_reply: "x".repeat(20_000) });
  let backedUp: Promise<void> | undefined;
  for (const turn of [0, 1, 2, 3, 4]) {
    await Promise.all(
      claimed.map(({ lease }) => storage.store.interactions.store(lease, { turn_index: turn, reply, scores: null })),
    );
    backedUp ??= storage.backup(folder.file("copy.db"));
  }
  await backedUp;
  await using copy = await openSqlite({ file: folder.file("copy.db") });
  const attempts = await collect(copy.store.attempts.withInteractions(run.id));
  const turns = attempts.flatMap((attempt) => attempt.interactions);
  expect(turns.length).toBeGreaterThanOrEqual(40);
  expect((await copy.store.runs.get(run.id))?.progress.interactions_done).toBe(turns.length);
  expect(turns.every((turn) => turn.reply.agent_reply.length === 20_000)).toBe(true);
  expect((await copy.store.runs.create(sampleRun())).outcome).toBe("created");
  expect((await storage.store.runs.get(run.id))?.progress.interactions_done).toBe(200);
});

test("a backup overwrites nothing and leaves no half file", async () => {
  await using folder = await temporaryFolder();
  await using storage = await openSqlite({ file: folder.file("rehearsal.db") });
  await storage.backup(folder.file("copy.db"));
  await expect(storage.backup(folder.file("copy.db"))).rejects.toThrow("already exists");
  await expect(storage.backup(folder.file("missing/copy.db"))).rejects.toBeInstanceOf(StoreFileError);
  expect((await readdir(folder.path)).filter((name) => name.includes("partial"))).toEqual([]);
});

test("a backup is private while it is being written", async () => {
  await using folder = await temporaryFolder();
  const source = folder.file("rehearsal.db");
  using database = new DatabaseSync(source);
  database.exec("create table t (text); insert into t values (zeroblob(64000000))");
  const copying = { isOver: false };
  const copied = copyDatabase(source, folder.file("copy.db")).finally(() => (copying.isOver = true));
  const modes = new Set<number | undefined>();
  while (!copying.isOver) {
    const names = (await readdir(folder.path)).filter((name) => name.startsWith("copy.db"));
    for (const name of names) modes.add((await stat(folder.file(name)).catch(() => null))?.mode);
  }
  await copied;
  modes.add((await stat(folder.file("copy.db"))).mode);
  modes.delete(undefined);
  expect([...modes].map((mode) => (mode ?? 0) & 0o777)).toEqual([0o600]);
});

test("a disk that is too small for a backup has nothing of it afterwards", async (context) => {
  await using folder = await temporaryFolder();
  const [source, disk] = [folder.file("rehearsal.db"), folder.file("disk")];
  await mkdir(disk);
  const unmount = mountSmallDisk(disk);
  if (!unmount) return context.skip();
  try {
    using database = new DatabaseSync(source);
    database.exec("create table t (text); insert into t values (zeroblob(20000000))");
    await expect(copyDatabase(source, `${disk}/copy.db`)).rejects.toThrow("the disk is full");
    expect(await readdir(disk)).toEqual([]);
  } finally {
    unmount();
  }
});

test("a fault of the database is reported for the database, not for its copy", async () => {
  await using folder = await temporaryFolder();
  const [source, copy] = [folder.file("rehearsal.db"), folder.file("copy.db")];
  await writeFile(source, "no database ".repeat(100));
  await expect(copyDatabase(source, copy)).rejects.toThrow(`The database ${source} is not a database`);
  expect(await readdir(folder.path)).toEqual(["rehearsal.db"]);
});
