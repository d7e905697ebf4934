import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { commandLine } from "../support/command-line.ts";
import { deepTest } from "../support/deep-test.ts";
import { startFakeProvider, type FakeProvider } from "../support/fake-provider.ts";
import { after } from "../support/fake-provider/behaviour.ts";
import { text } from "../support/fake-provider/replies.ts";
import { send } from "../support/http.ts";
import { serviceEnvironment } from "../support/service-environment.ts";
import { createTestDatabase } from "../support/shared-postgres.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const blocking = join(import.meta.dirname, "../support/block-on-reply.mjs");

interface Supervised extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  readonly stdout: () => string;
  /** How often its process was replaced. */
  readonly restarts: () => number;
  readonly ready: Promise<unknown>;
}

function startSupervised(cwd: string, parameters: readonly string[], environment: Record<string, string>): Supervised {
  const child = spawn(process.execPath, ["--import", blocking, commandLine, ...parameters, "--json"], {
    cwd,
    env: {
      ...serviceEnvironment,
      REHEARSAL_DEMO: "off",
      REHEARSAL_WATCHDOG_MS: "2000",
      REHEARSAL_SHUTDOWN_GRACE_MS: "1000",
      LOG_LEVEL: "error",
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (data) => (stdout += String(data)));
  child.stderr.on("data", (data) => (stderr += String(data)));
  const ended = once(child, "exit");
  return {
    child,
    ended,
    stdout: () => stdout,
    restarts: () => stderr.split("it stood still for 2000 ms").length - 1,
    ready: vi.waitFor(() => expect(stdout).toContain("\n"), { timeout: 30_000, interval: 50 }),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** The reply to "poison" blocks the process that reads it. */
const startProvider = (): Promise<FakeProvider> =>
  startFakeProvider({
    behaviour: (call) =>
      call.request.text.includes("poison") ? text("block the event loop")(call) : after(100, text("Yes"))(call),
  });

async function start(evaluation: string, provider: FakeProvider, messages: readonly string[]): Promise<string> {
  const { body, status } = await send(`${evaluation}/evaluate`, {
    headers: { prefer: "respond-async" },
    body: {
      test_batch: messages.map((user_message, index) => ({
        id: `s${index}`,
        interactions: [{ id: "1", user_message }],
      })),
      endpoint: provider.url,
      model_id: "m",
      concurrency: 4,
    },
  });
  expect(status).toBe(202);
  return (body as { run_id: string }).run_id;
}

async function ended(evaluation: string, run: string): Promise<{ state: string; message: string }> {
  const read = async () => {
    const { body } = await send(`${evaluation}/runs/${run}`);
    expect(["completed", "failed"]).toContain((body as { state: string }).state);
    return body as { state: string; message: string };
  };
  // Refused connections are part of the waiting.
  return vi.waitFor(read, { timeout: 120_000, interval: 200 });
}

const callsWith = (provider: FakeProvider, word: string): number =>
  provider.requests.filter((request) => request.text.includes(word)).length;

const failed = { state: "failed", message: expect.stringContaining("it ended its process twice") };

test("an attempt that blocks its process is run alone once more, then its run fails; other runs and the addresses stay", async () => {
  await using folder = await temporaryFolder();
  await using provider = await startProvider();
  await using service = startSupervised(folder.path, ["serve"], {});
  await service.ready;
  const { evaluation, agent } = JSON.parse(service.stdout()) as { evaluation: string; agent: string };
  const innocent = await start(
    evaluation,
    provider,
    Array.from({ length: 12 }, (_, index) => `Hello ${index}`),
  );
  const poisoned = await start(evaluation, provider, ["poison"]);
  expect(await ended(evaluation, poisoned)).toMatchObject(failed);
  expect(await ended(evaluation, innocent)).toMatchObject({ state: "completed" });
  expect([service.restarts(), callsWith(provider, "poison")]).toEqual([2, 2]);
  expect((await send(`${agent}/healthz`)).status).toBe(200);
  expect(service.stdout().trimEnd().split("\n")).toHaveLength(1);
  service.child.kill("SIGTERM");
  expect(await service.ended).toEqual([0, null]);
});

deepTest("a poisoned attempt ends two of several processes on one PostgreSQL at most", async () => {
  await using folder = await temporaryFolder();
  await using provider = await startProvider();
  await using database = await createTestDatabase();
  const started = ["s1", "s2", "w1", "w2"].map((name) =>
    startSupervised(folder.path, name.startsWith("s") ? ["serve"] : ["serve", "--worker"], {
      DATABASE_URL: database.url,
      REHEARSAL_DATA_DIR: folder.file(name),
    }),
  );
  await using stack = new AsyncDisposableStack();
  for (const one of started) stack.use(one);
  await Promise.all(started.map(({ ready }) => ready));
  const { evaluation } = JSON.parse(started[0]!.stdout()) as { evaluation: string };
  const innocent = await start(
    evaluation,
    provider,
    Array.from({ length: 40 }, (_, index) => `Hello ${index}`),
  );
  const poisoned = await start(evaluation, provider, ["poison", "Hello", "Hello again"]);
  expect(await ended(evaluation, poisoned)).toMatchObject(failed);
  expect(await ended(evaluation, innocent)).toMatchObject({ state: "completed" });
  expect(started.reduce((sum, one) => sum + one.restarts(), 0)).toBe(2);
});
