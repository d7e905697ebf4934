import { readdir, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runCli } from "./run-cli.ts";

test("models works in a read-only folder and writes nothing", async () => {
  await using folder = await temporaryFolder();
  await writeFile(folder.file(".rehearsal"), "no folder");
  expect(await runCli(["models"], { cwd: folder.path })).toMatchObject({ code: 0, stderr: "" });
  await using empty = await temporaryFolder();
  await runCli(["models"], { cwd: empty.path });
  expect(await readdir(empty.path)).toEqual([]);
});
