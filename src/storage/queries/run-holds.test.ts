import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sampleRun } from "../../../test/conformance/sample-runs.ts";
import { ending } from "../../../test/conformance/suite-helpers.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openSqlite } from "../drivers/open-sqlite.ts";
import { hostClock } from "../tables/host.ts";

test("frees a rescored run as soon as its process on this host is gone", async () => {
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

test.runIf(process.platform === "linux")("treats a suspended command as still executing its run", async () => {
  await using closing = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "rehearsal-carriers-"));
  closing.defer(() => rm(folder, { recursive: true }));
  const command = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  onTestFinished(() => void command.kill("SIGKILL"));
  const ended = once(command, "exit");
  closing.defer(() => void command.kill("SIGKILL"));
  // Time passes so fast that every sign of life is always too old.
  let now = 0;
  const clock = { ...hostClock, steady: () => (now += 60_000) };
  const shared = { file: join(folder, "runs.db"), host: "here", clock };
  const carrying = closing.use(await openSqlite({ ...shared, pid: command.pid! }));
  const looking = closing.use(await openSqlite(shared));
  const { id } = sampleRun();
  await carrying.store.runs.create({ ...sampleRun(), id, tied: true });
  const interrupted = async () => (await looking.store.runs.get(id))?.interrupted;

  expect(await interrupted()).toBe(true);
  command.kill("SIGSTOP");
  await expect.poll(interrupted).toBe(false);
  command.kill("SIGKILL");
  await ended;
  expect(await interrupted()).toBe(true);
});
