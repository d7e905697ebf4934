import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, open, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { openSqlite } from "../../src/storage/drivers/open-sqlite.ts";
import { StoreFileError } from "../../src/storage/tables/database.ts";
import { temporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts";
import { sampleReply, sampleRun } from "./sample-runs.ts";
import { ending } from "./suite-helpers.ts";

async function refusal(file: string): Promise<StoreFileError> {
  const failure: unknown = await openSqlite({ file }).then(
    (storage) => storage.close(),
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(StoreFileError);
  const error = failure as StoreFileError;
  expect(error.message).toContain(file);
  expect(error.message).not.toContain("\n");
  return error;
}

/** A database with runs in it, closed again. */
async function filled(folder: TemporaryFolder, runs = 20): Promise<string> {
  const file = folder.file("rehearsal.db");
  const { store, close } = await openSqlite({ file });
  for (let index = 0; index < runs; index += 1) await store.runs.create(sampleRun({ scenarios: 5 }));
  await close();
  return file;
}

function change(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

test("a database made by a newer version is refused and left unchanged", async () => {
  await using folder = await temporaryFolder();
  const file = await filled(folder, 1);
  change(file, "insert into kysely_migration values ('9999-future', '2100-01-01T00:00:00.000Z')");
  const before = await readFile(file);
  expect((await refusal(file)).message).toMatch(/newer version.*9999-future/);
  expect((await readFile(file)).equals(before)).toBe(true);
});

test("a database made by a version before 0.2.0 is refused and left unchanged", async () => {
  await using folder = await temporaryFolder();
  const file = await filled(folder, 1);
  change(file, "update kysely_migration set name = '0001-runs' where name like '0001%'");
  const before = await readFile(file);
  expect((await refusal(file)).message).toMatch(/before 0\.2\.0.*rehearsal report <run> -o/);
  expect((await readFile(file)).equals(before)).toBe(true);
});

test("a file that is no database is refused and left unchanged", async () => {
  await using folder = await temporaryFolder();
  const file = folder.file("notes.db");
  await writeFile(file, "These are my notes, not a database. ".repeat(200));
  const before = await readFile(file);
  expect((await refusal(file)).message).toMatch(/is not a database/);
  expect((await readFile(file)).equals(before)).toBe(true);
});

test.each([1, 2, 4, 8])("a database with page %i overwritten is refused and left unchanged", async (page) => {
  await using folder = await temporaryFolder();
  const file = await filled(folder);
  const handle = await open(file, "r+");
  await handle.write(Buffer.alloc(4_096, 0xa5), 0, 4_096, page * 4_096);
  await handle.close();
  const before = await readFile(file);
  expect((await refusal(file)).message).toMatch(/is damaged|is not a database/);
  expect((await readFile(file)).equals(before)).toBe(true);
});

test("a truncated database is refused and left unchanged", async () => {
  await using folder = await temporaryFolder();
  const file = await filled(folder);
  const whole = await readFile(file);
  await writeFile(file, whole.subarray(0, whole.length / 2));
  await refusal(file);
  expect((await readFile(file)).length).toBe(Math.floor(whole.length / 2));
});

test("the database of another program is refused and left unchanged", async () => {
  await using folder = await temporaryFolder();
  const file = folder.file("other.db");
  change(file, "create table notes (text)");
  const before = await readFile(file);
  expect((await refusal(file)).message).toMatch(/belongs to another program/);
  expect((await readFile(file)).equals(before)).toBe(true);
});

test("a folder in place of the file is refused", async () => {
  await using folder = await temporaryFolder();
  await mkdir(folder.file("rehearsal.db"));
  expect((await refusal(folder.file("rehearsal.db"))).message).toMatch(/is not a file/);
});

test("a path through a file is refused", async () => {
  await using folder = await temporaryFolder();
  await writeFile(folder.file("plain"), "");
  const failure: unknown = await openSqlite({ file: folder.file("plain/rehearsal.db") }).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(StoreFileError);
});

// The superuser may write to read-only files.
test.skipIf(process.getuid?.() === 0)("a read-only file is refused", async () => {
  await using folder = await temporaryFolder();
  const file = await filled(folder, 1);
  await chmod(file, 0o400);
  expect((await refusal(file)).message).toMatch(/cannot be read and written/);
});

test("an empty file in place of the database is refused and left unchanged", async () => {
  await using folder = await temporaryFolder();
  const file = await filled(folder, 1);
  await writeFile(file, "");
  expect((await refusal(file)).message).toMatch(/is empty.*Restore it from a backup, or delete it/);
  expect((await stat(file)).size).toBe(0);
});

test("a new database is never seen empty, is made once by many who open it, and leaves nothing else behind", async () => {
  await using folder = await temporaryFolder();
  const file = folder.file("rehearsal.db");
  const sizes: number[] = [];
  const watch = (async () => {
    while (sizes.length < 5) {
      const size = (await stat(file).catch(() => null))?.size;
      if (size !== undefined) sizes.push(size);
    }
  })();
  const opened = await Promise.all(Array.from({ length: 4 }, () => openSqlite({ file })));
  await watch;
  for (const { store } of opened) await store.runs.create(sampleRun());
  expect((await opened[0]!.store.runs.list({ limit: 10 })).runs).toHaveLength(4);
  for (const storage of opened) await storage.close();
  expect(Math.min(...sizes)).toBeGreaterThan(0);
  expect(await readdir(folder.path)).toEqual(["rehearsal.db"]);
});

test("opening a database again finds what was stored", async () => {
  await using folder = await temporaryFolder();
  const file = await filled(folder, 3);
  await using storage = await openSqlite({ file });
  expect((await storage.store.runs.list({ limit: 10 })).runs).toHaveLength(3);
});

test.skipIf(process.platform === "win32")("a new database is for its owner alone, whatever its folder is", async () => {
  await using folder = await temporaryFolder();
  await chmod(folder.path, 0o755);
  const { store, close } = await openSqlite({ file: folder.file("rehearsal.db") });
  await store.runs.create(sampleRun());
  const files = await readdir(folder.path);
  const modes = await Promise.all(files.map(async (name) => (await stat(folder.file(name))).mode & 0o777));
  await close();
  expect(files).toContain("rehearsal.db-wal");
  expect(new Set(modes)).toEqual(new Set([0o600]));
});

test("a database locked by another process for good answers that it is unavailable", async () => {
  await using folder = await temporaryFolder();
  const file = await filled(folder, 1);
  await using storage = await openSqlite({ file, lockTimeoutMs: 100 });
  const holder = new DatabaseSync(file);
  holder.exec("begin immediate");
  await expect(storage.store.runs.create(sampleRun())).rejects.toMatchObject({ code: "storage_unavailable" });
  expect((await storage.store.runs.list({ limit: 10 })).runs).toHaveLength(1);
  holder.exec("rollback");
  holder.close();
  expect((await storage.store.runs.create(sampleRun())).outcome).toBe("created");
});

// Windows does not move an open file.
test.skipIf(process.platform === "win32").each(["removed", "replaced"])(
  "once the file was %s nothing is taken for stored until it is back",
  async (how) => {
    await using folder = await temporaryFolder();
    const file = await filled(folder, 1);
    await using storage = await openSqlite({ file });
    await storage.store.check();
    await rename(file, folder.file("aside.db"));
    if (how === "replaced") await copyFile(folder.file("aside.db"), file);
    await expect(storage.store.runs.create(sampleRun())).rejects.toMatchObject({ code: "storage_unavailable" });
    await expect(storage.store.check()).rejects.toMatchObject({ code: "storage_unavailable" });
    await rename(folder.file("aside.db"), file);
    await storage.store.check();
    expect((await storage.store.runs.create(sampleRun())).outcome).toBe("created");
  },
);

test.skipIf(process.platform === "win32")(
  "a process with too few file descriptors reports it, however few",
  async () => {
    await using folder = await temporaryFolder();
    const script = join(import.meta.dirname, "few-descriptors.ts");
    const parameters = ["-c", 'ulimit -n 64; exec "$@"', "sh", process.execPath, script, folder.file("rehearsal.db")];
    const { stdout } = await promisify(execFile)("sh", parameters);
    const tries = stdout.split("\n");
    expect(tries.pop()).toBe("opened");
    expect(tries.length).toBeGreaterThan(2);
    expect(new Set(tries)).toEqual(new Set(["StoreFileError"]));
  },
);

test("deleted data can be read neither in the file nor in a backup", async () => {
  await using folder = await temporaryFolder();
  const file = folder.file("rehearsal.db");
  const storage = await openSqlite({ file });
  const run = sampleRun({ scenarios: 5, settings: { test_name: "private" } });
  await storage.store.runs.create(run);
  const claimed = await storage.queue.claim({ worker: "w", limit: 9, perRun: 9 });
  // Longer than a page, and shorter.
  const replies = ["private ".repeat(5_000), "private"].map((agent_reply) => sampleReply({ agent_reply }));
  for (const [index, { lease }] of claimed.entries()) {
    const reply = replies[index % 2]!;
    await storage.store.interactions.store(lease, { turn_index: 0, reply, scores: null });
  }
  await storage.store.runs.finish(run.id, ending());
  await storage.backup(folder.file("before.db"));
  expect(await storage.store.runs.remove(run.id)).toBe(true);
  await storage.backup(folder.file("after.db"));
  await storage.close();
  const holds = async (name: string) => (await readFile(folder.file(name))).includes("private");
  expect(await Promise.all(["before.db", "after.db", "rehearsal.db"].map(holds))).toEqual([true, false, false]);
});
