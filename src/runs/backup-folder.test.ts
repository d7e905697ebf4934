import { mkdtempDisposable, readdir, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { openBackupFolder } from "./backup-folder.ts";

const at = Date.UTC(2026, 10, 15, 6, 42, 7);
const day = 86_400_000;

test("the newest backup is known by its name, and only the newest are kept", async () => {
  await using place = await mkdtempDisposable(join(tmpdir(), "backups-"));
  const path = join(place.path, "deep", "backups");
  const folder = await openBackupFolder(path, { keep: 2 });
  const now = at + 4 * day;
  expect(await folder.newest(now)).toBeNull();
  expect(basename(folder.fileAt(at))).toBe("rehearsal-20261115T064207Z.db");
  for (const days of [0, 3, 1, 2]) await writeFile(folder.fileAt(at + days * day), "");
  await writeFile(join(path, "notes.txt"), "");
  expect(await folder.newest(now)).toBe(at + 3 * day);
  await folder.prune(now);
  expect((await readdir(path)).sort()).toEqual([
    "notes.txt",
    "rehearsal-20261117T064207Z.db",
    "rehearsal-20261118T064207Z.db",
  ]);
});

test("backups from before someone set the clock back are the oldest", async () => {
  await using place = await mkdtempDisposable(join(tmpdir(), "backups-"));
  const folder = await openBackupFolder(place.path, { keep: 2 });
  for (const days of [5, 6]) await writeFile(folder.fileAt(at + days * day), "");
  expect(await folder.newest(at)).toBeNull();
  await writeFile(folder.fileAt(at), "");
  expect(await folder.newest(at)).toBe(at);
  await folder.prune(at);
  const left = [at, at + 6 * day].map((time) => basename(folder.fileAt(time)));
  expect((await readdir(place.path)).sort()).toEqual(left);
});

test("what a killed process left of a backup goes away, what is being written stays", async () => {
  await using place = await mkdtempDisposable(join(tmpdir(), "backups-"));
  const folder = await openBackupFolder(place.path, { keep: 1 });
  const partial = (id: string): string => `${folder.fileAt(at)}.${id}.partial`;
  const [left, underWay] = [partial("0a"), partial("0b")];
  for (const file of [left, `${left}-journal`, underWay]) await writeFile(file, "");
  for (const file of [left, `${left}-journal`]) await utimes(file, 0, 0);
  await folder.prune(at);
  expect(await readdir(place.path)).toEqual([basename(underWay)]);
});
