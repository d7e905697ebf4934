import { mkdir, symlink, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { findFiles } from "./find-files.ts";

async function folderWith(...names: readonly string[]) {
  const folder = await temporaryFolder();
  for (const name of names) {
    await mkdir(folder.file(`${name}/..`), { recursive: true });
    await writeFile(folder.file(name), "{}");
  }
  return folder;
}

test("a folder stands for the scenario files below it, in order", async () => {
  await using folder = await folderWith(
    "b.yaml",
    "a b/c.JSONL",
    "a.txt",
    "package.json",
    "rehearsal.yaml",
    ".hidden/a.json",
    ".oxfmtrc.json",
    "node_modules/x/a.json",
  );
  expect(await findFiles(["."], folder.path)).toEqual(["a b/c.JSONL", "b.yaml"]);
  expect(await findFiles(["*.yaml", "a b/*"], folder.path)).toEqual(["b.yaml", "rehearsal.yaml", "a b/c.JSONL"]);
});

test("a link to a file is that file, and counts once however it is named", async () => {
  await using folder = await folderWith("shared/one.yaml", "suite/two.yaml");
  await symlink("../shared/one.yaml", folder.file("suite/linked.yaml"));
  await symlink("two.yaml", folder.file("suite/zwei.yaml"));
  await symlink("nowhere.yaml", folder.file("suite/broken.yaml"));
  await symlink("..", folder.file("suite/back"));
  const both = ["suite/linked.yaml", "suite/two.yaml"];
  expect(await findFiles(["suite"], folder.path)).toEqual(both);
  expect(await findFiles(["suite/*.yaml"], folder.path)).toEqual(both);
  expect(await findFiles(["suite/two.yaml", "./suite/two.yaml", "suite"], folder.path)).toEqual(both.toReversed());
});
