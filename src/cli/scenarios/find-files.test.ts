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

test("finds all scenario files below a folder, in order", async () => {
  await using folder = await folderWith(
    "b.yaml",
    "a b/c.JSONL",
    "a.txt",
    "package.json",
    "tsconfig.json",
    "rehearsal.yaml",
    "rehearsal.schema.json",
    ".hidden/a.json",
    ".oxfmtrc.json",
    "node_modules/x/a.json",
  );
  expect(await findFiles(["."], { folder: folder.path })).toEqual(["a b/c.JSONL", "b.yaml"]);
  expect(await findFiles(["*.yaml", "a b/*"], { folder: folder.path })).toEqual([
    "b.yaml",
    "rehearsal.yaml",
    "a b/c.JSONL",
  ]);
});

test("refuses an empty name, as from an unset variable", async () => {
  await using folder = await folderWith("a.json");
  await expect(findFiles([""], { folder: folder.path })).rejects.toThrow('"" names no scenarios');
});

test("suggests a file with a similar name", async () => {
  await using folder = await folderWith("scenarios/refund.yaml");
  const refusal = async (name: string): Promise<unknown> =>
    findFiles([name], { folder: folder.path }).catch((error: Error) => error.message);
  expect(await refusal("scenarios/refund.yml")).toBe(
    "scenarios/refund.yml does not exist: did you mean scenarios/refund.yaml?",
  );
  expect(await refusal("nowhere/refund.yaml")).toBe("nowhere/refund.yaml does not exist");
  await expect(findFiles(["nowhere"], { folder: folder.path, namedIn: "rehearsal.yaml" })).rejects.toThrow(
    "rehearsal.yaml /scenarios: nowhere does not exist",
  );
});

test("counts a file and links to it once", async () => {
  await using folder = await folderWith("shared/one.yaml", "suite/two.yaml");
  await symlink("../shared/one.yaml", folder.file("suite/linked.yaml"));
  await symlink("two.yaml", folder.file("suite/zwei.yaml"));
  await symlink("nowhere.yaml", folder.file("suite/broken.yaml"));
  await symlink("..", folder.file("suite/back"));
  const both = ["suite/linked.yaml", "suite/two.yaml"];
  expect(await findFiles(["suite"], { folder: folder.path })).toEqual(both);
  expect(await findFiles(["suite/*.yaml"], { folder: folder.path })).toEqual(both);
  expect(await findFiles(["suite/two.yaml", "./suite/two.yaml", "suite"], { folder: folder.path })).toEqual(
    both.toReversed(),
  );
});

test("skips the evaluation's own files unless they are named", async () => {
  await using folder = await folderWith("suite.yaml", "results.json");
  const options = { folder: folder.path, except: [folder.file("results.json")] };
  expect(await findFiles(["."], options)).toEqual(["suite.yaml"]);
  expect(await findFiles(["*.json", "."], { folder: folder.path })).toEqual(["results.json", "suite.yaml"]);
  await expect(findFiles(["*.json"], options)).rejects.toThrow("no file matches *.json");
  expect(await findFiles(["results.json"], options)).toEqual(["results.json"]);
});
