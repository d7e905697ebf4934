import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { createDataFolder } from "./storage.ts";

test("creates the folder and its parents, also when several processes start together", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a", "b", "data");
  await Promise.all([createDataFolder(path), createDataFolder(path), createDataFolder(path)]);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
});

test.runIf(process.platform === "linux").each(["/proc/x", "/proc/x/y", "/dev/null/x"])(
  "fails at once for %s, where no folder can be created",
  async (path) => {
    await expect(createDataFolder(path)).rejects.toThrow(/^REHEARSAL_DATA_DIR \/\S+ cannot be created \(E[A-Z]+\)$/);
  },
);

test("refuses a file in place of the folder", async () => {
  await using folder = await temporaryFolder();
  await writeFile(folder.file("data"), "");
  await expect(createDataFolder(folder.file("data"))).rejects.toThrow("cannot be created (EEXIST)");
});
