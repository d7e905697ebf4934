import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSqlite } from "../../src/storage/drivers/open-sqlite.ts";
import { sampleRun } from "../conformance/sample-runs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runCli } from "./run-cli.ts";

test("backup copies a store in use completely, readable by its owner only, and never overwrites a file", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  const copy = join(cwd, "copy");
  // The folder that is typed outranks a database that is merely set.
  const env = { DATABASE_URL: "postgres://u:p@127.0.0.1:9/x" };
  const backUp = () => runCli(["store", "backup", join("copy", "rehearsal.db"), "--data-dir", cwd], { cwd, env });
  await mkdir(copy);
  expect((await backUp()).stderr).toContain("There is no database");
  await using storage = await openSqlite({ file: join(cwd, "rehearsal.db"), leaseMs: 15_000 });
  await storage.store.runs.create(sampleRun({ turns: 1 }));
  expect((await backUp()).code).toBe(0);
  expect((await stat(join(copy, "rehearsal.db"))).mode & 0o777).toBe(0o600);
  const listed = await runCli(["runs", "list", "--json", "--data-dir", copy], { cwd });
  expect(JSON.parse(listed.stdout)).toMatchObject({ runs: [{ state: "queued" }] });
  const again = await backUp();
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("never overwrites") });
});
