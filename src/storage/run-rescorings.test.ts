import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { sampleRun } from "../../test/conformance/sample-runs.ts";
import { ending } from "../../test/conformance/suite-helpers.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { openSqlite } from "./drivers/open-sqlite.ts";

test("a run that a process scored again is free as soon as that process of this host is gone", async () => {
  await using folder = await temporaryFolder();
  const command = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  onTestFinished(() => void command.kill("SIGKILL"));
  const ended = once(command, "exit");
  const shared = { file: folder.file("runs.db"), host: "here" };
  await using scoring = await openSqlite({ ...shared, pid: command.pid! });
  await using waiting = await openSqlite(shared);
  const run = sampleRun();
  await scoring.store.runs.create(run);
  await scoring.store.runs.finish(run.id, ending());

  expect(await scoring.store.runs.holdForRescore(run.id)).not.toBeNull();
  expect(await waiting.store.runs.holdForRescore(run.id)).toBeNull();
  command.kill("SIGKILL");
  await ended;
  expect(await waiting.store.runs.holdForRescore(run.id)).not.toBeNull();
});
