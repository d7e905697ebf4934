import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sampleRun } from "../../test/conformance/sample-runs.ts";
import { systemClock } from "./clock.ts";
import { openSqlite } from "./drivers/open-sqlite.ts";

test.runIf(process.platform === "linux")("a command that was stopped carries its run out all the same", async () => {
  await using closing = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "rehearsal-carriers-"));
  closing.defer(() => rm(folder, { recursive: true }));
  const command = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  onTestFinished(() => void command.kill("SIGKILL"));
  const ended = once(command, "exit");
  closing.defer(() => void command.kill("SIGKILL"));
  // Time passes so fast that whatever was said of a process is always too old.
  let now = 0;
  const clock = { ...systemClock, steady: () => (now += 60_000) };
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
