import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { openStorage } from "../../src/cli/parts/open-storage.ts";
import { readSettings } from "../../src/settings.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { after } from "../support/fake-provider/behaviour.ts";
import { text } from "../support/fake-provider/replies.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { commandLine } from "../support/command-line.ts";
import { runCli } from "./run-cli.ts";

test("a worker finishes the run a killed command left behind", async () => {
  await using folder = await temporaryFolder();
  await using provider = await startFakeProvider({ behaviour: after(100, text("Yes")) });
  const interactions = Array.from({ length: 10 }, (_, index) => ({ id: String(index), user_message: `Turn ${index}` }));
  await writeFile(folder.file("long.json"), JSON.stringify({ id: "long", interactions }));
  const cwd = folder.path;
  const killed = await runCli(["eval", "long.json", "--endpoint", provider.url, "-m", "m"], {
    cwd,
    onStderr: (seen, kill) => seen.includes("/10 turns") && kill("SIGKILL"),
  });
  expect(killed.code).toBeNull();

  const env = { PATH: process.env["PATH"] ?? "", LOG_LEVEL: "silent" };
  const worker = spawn(process.execPath, [commandLine, "worker"], { cwd, env });
  const ended = once(worker, "exit");
  try {
    const [line] = (await once(worker.stdout, "data")) as [Buffer];
    expect(String(line)).toBe("worker ready\n");
    const { settings } = readSettings({ REHEARSAL_DATA_DIR: folder.file(".rehearsal") });
    await using storage = await openStorage(settings, { onError: () => {} });
    // Polled with pauses: the store answers synchronously, and the provider lives in this process too.
    const progress = await vi.waitFor(
      async () => {
        const [run] = (await storage.store.runs.list({ limit: 1 })).runs;
        expect(run?.state).toBe("completed");
        return run?.progress;
      },
      { timeout: 20_000, interval: 50 },
    );
    expect(progress).toMatchObject({ interactions_done: 10, interactions_failed: 0 });
  } finally {
    worker.kill("SIGTERM");
  }
  expect(await ended).toEqual([0, null]);
  // A call that was in flight when the command was killed may be made twice.
  expect(provider.requests.length).toBeLessThanOrEqual(11);
});
