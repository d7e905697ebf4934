import { mkdtempDisposable, readdir, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { backUpStore, openBackupFolder, tidyInSteps } from "./maintenance.ts";

test("deletes in steps while there is more, reports failures and ends with the signal", async () => {
  const stopping = new AbortController();
  const errors: unknown[] = [];
  let steps = 0;
  await tidyInSteps({
    async tidy() {
      steps += 1;
      if (steps === 2) throw new Error("away");
      if (steps === 4) stopping.abort();
      return steps < 4;
    },
    everyMs: 1,
    signal: stopping.signal,
    onError: (error) => errors.push(error),
  });
  expect(steps).toBe(4);
  expect(errors).toEqual([new Error("away")]);
});

const hour = 3_600_000;

test("makes a backup when the newest is old enough, and continues after a failure", async () => {
  const stopping = new AbortController();
  const errors: unknown[] = [];
  const made: string[] = [];
  let newest: number | null = null;
  let pruned = 0;
  let looks = 0;
  await backUpStore({
    async backup(file) {
      if (looks === 1) throw new Error("full");
      made.push(file);
      newest = looks * hour;
    },
    folder: {
      fileAt: (at) => `backup-${at / hour}`,
      async newest() {
        looks += 1;
        if (looks === 8) stopping.abort();
        return newest;
      },
      prune: async () => void (pruned += 1),
    },
    now: () => looks * hour,
    everyMs: 3 * hour,
    lookEveryMs: 1,
    signal: stopping.signal,
    onError: (error) => errors.push(error),
  });
  expect(made).toEqual(["backup-2", "backup-5", "backup-8"]);
  // Before each try, so that there is room, and after each backup.
  expect(pruned).toBe(4 + 3);
  expect(errors).toEqual([new Error("full")]);
});

const at = Date.UTC(2026, 10, 15, 6, 42, 7);
const day = 86_400_000;

test("finds the newest backup by its name and keeps only the newest", async () => {
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

test("treats backups from before a clock change as the oldest", async () => {
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

test("deletes abandoned partial files, and keeps those being written", async () => {
  await using place = await mkdtempDisposable(join(tmpdir(), "backups-"));
  const folder = await openBackupFolder(place.path, { keep: 1 });
  const partial = (id: string): string => `${folder.fileAt(at)}.${id}.partial`;
  const [left, underWay] = [partial("0a"), partial("0b")];
  for (const file of [left, `${left}-journal`, underWay]) await writeFile(file, "");
  for (const file of [left, `${left}-journal`]) await utimes(file, 0, 0);
  await folder.prune(at);
  expect(await readdir(place.path)).toEqual([basename(underWay)]);
});
