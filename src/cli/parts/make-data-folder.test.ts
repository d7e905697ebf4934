import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { makeDataFolder } from "./make-data-folder.ts";

test("the folder and what is missing above it are made, once for all who start together", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a", "b", "data");
  await Promise.all([makeDataFolder(path), makeDataFolder(path), makeDataFolder(path)]);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
});

test.runIf(process.platform === "linux").each(["/proc/x", "/proc/x/y", "/dev/null/x"])(
  "%s, where nothing can be made, is told at once",
  async (path) => {
    await expect(makeDataFolder(path)).rejects.toThrow(/^REHEARSAL_DATA_DIR \/\S+ cannot be made \(E[A-Z]+\)$/);
  },
);

test("a file at its place is told", async () => {
  await using folder = await temporaryFolder();
  await writeFile(folder.file("data"), "");
  await expect(makeDataFolder(folder.file("data"))).rejects.toThrow("cannot be made (EEXIST)");
});
