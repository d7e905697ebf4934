import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import type { RunPolicy } from "../../src/contract/schemas/shared/endpoint-policy.ts";
import type { RunSettings } from "../../src/contract/schemas/evaluation-request.ts";
import { openStorage } from "../../src/cli/composition/storage.ts";
import { readSettings } from "../../src/settings.ts";
import { sampleRun } from "../conformance/sample-runs.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { after } from "../support/fake-provider/behaviour.ts";
import { text } from "../support/fake-provider/replies.ts";
import { send } from "../support/http.ts";
import { runServices } from "../support/services.ts";
import { startTrapServer } from "../support/trap-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { commandLine } from "../support/command-line.ts";
import { spawnCli } from "./run-cli.ts";

test("a worker finishes the run of a killed command", async () => {
  await using folder = await temporaryFolder();
  await using provider = await startFakeProvider({ behaviour: after(100, text("Yes")) });
  const interactions = Array.from({ length: 10 }, (_, index) => ({ id: String(index), user_message: `Turn ${index}` }));
  await writeFile(folder.file("long.json"), JSON.stringify({ id: "long", interactions }));
  const cwd = folder.path;
  const killed = await spawnCli(["eval", "long.json", "--endpoint", provider.url, "-m", "m"], {
    cwd,
    onStderr: (seen, kill) => seen.includes("/10 turns") && kill("SIGKILL"),
  });
  expect(killed.code).toBeNull();

  const env = { PATH: process.env["PATH"] ?? "", LOG_LEVEL: "silent" };
  const worker = spawn(process.execPath, [commandLine, "serve", "--worker"], { cwd, env });
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

test("a worker with policy local calls nothing that the policy of the run refuses", async () => {
  await using folder = await temporaryFolder();
  await using provider = await startFakeProvider();
  await using hidden = await startTrapServer();
  const { settings } = readSettings({ REHEARSAL_DATA_DIR: folder.file("data") });
  await using storage = await openStorage(settings, { onError: () => {} });
  const accepted = async (policy: RunPolicy | null, more: Partial<RunSettings> = {}): Promise<string> => {
    const run = sampleRun({ policy, settings: { endpoint: provider.url, ...more } });
    await storage.store.runs.create(run);
    return run.id;
  };
  const listed = { name: "allowlist", allow: [provider.origin] } as const;
  const judge = { endpoint: hidden.url, model_id: "judge" };
  const runs = {
    public: await accepted({ name: "public", allow: [] }, { endpoint: hidden.url }),
    unlisted: await accepted(listed, { endpoint: hidden.url }),
    listed: await accepted(listed),
    judged: await accepted(listed, { judge }),
    earlier: await accepted(null),
  };

  const env = { PATH: process.env["PATH"] ?? "", LOG_LEVEL: "silent", REHEARSAL_DATA_DIR: folder.file("data") };
  const worker = spawn(process.execPath, [commandLine, "serve", "--worker"], { cwd: folder.path, env });
  const ended = once(worker, "exit");
  const outcomeOf = async (id: string): Promise<string> => {
    await vi.waitFor(async () => expect(await storage.store.runs.state(id)).toBe("completed"), {
      timeout: 20_000,
      interval: 50,
    });
    const { turns } = await storage.store.interactions.after(id, 0, 1);
    return turns[0]?.reply.error?.code ?? "answered";
  };
  try {
    expect([await outcomeOf(runs.public), await outcomeOf(runs.unlisted)]).toEqual([
      "endpoint_address_refused",
      "endpoint_not_allowed",
    ]);
    for (const id of [runs.listed, runs.judged, runs.earlier]) expect(await outcomeOf(id)).toBe("answered");
  } finally {
    worker.kill("SIGTERM");
    await ended;
  }
  const { turns } = await storage.store.interactions.after(runs.judged, 0, 1);
  expect(turns[0]?.scores?.score_reasons["judge_correctness"]).toContain("is not on the list of allowed endpoints");
  expect(hidden.hits).toBe(0);
});

test("a service stores the endpoint policy with each run", async () => {
  await using folder = await temporaryFolder();
  await using provider = await startFakeProvider();
  const data = { REHEARSAL_DATA_DIR: folder.file("data") };
  const body = { test_batch: { id: "s", interactions: [{ id: "1", user_message: "Hi" }] }, model_id: "m" };
  for (const policy of ["local", "allowlist"]) {
    const listed = { EVAL_ENDPOINT_POLICY: policy, EVAL_ENDPOINT_ALLOW: `${provider.origin},https://models.example` };
    await using services = await runServices({ ...data, ...listed });
    const { status } = await send(`${services.evaluation}/evaluate`, { body: { ...body, endpoint: provider.url } });
    expect(status).toBe(200);
  }
  await using storage = await openStorage(readSettings(data).settings, { onError: () => {} });
  const { runs } = await storage.store.runs.list({ limit: 9, test_name: "s" });
  expect(runs.map(({ policy }) => policy)).toEqual([
    { name: "allowlist", allow: [provider.origin] },
    { name: "local", allow: [] },
  ]);
});
