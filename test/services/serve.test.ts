import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { commandLine } from "../support/command-line.ts";
import { startFakeAgent } from "../support/fake-agent.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { after } from "../support/fake-provider/behaviour.ts";
import { text } from "../support/fake-provider/replies.ts";
import { send } from "../support/http.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { serviceEnvironment, serviceLimits } from "../support/service-environment.ts";
import { deepTest } from "../support/deep-test.ts";
import { isDeep } from "../support/sizes.ts";

/** Setting the demo up costs more than most tests. */
const withoutDemo = { REHEARSAL_DEMO: "off" };

interface Started extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<number | null>;
}

function start(folder: string, environment: Record<string, string> = {}, ...parameters: string[]): Started {
  writeFileSync(join(folder, "rehearsal.json"), JSON.stringify({ limits: serviceLimits }));
  const child = spawn(process.execPath, [commandLine, "serve", ...parameters], {
    cwd: folder,
    env: { ...serviceEnvironment, ...environment },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (data) => (stdout += String(data)));
  child.stderr.on("data", (data) => (stderr += String(data)));
  const ended = once(child, "exit").then(([code]) => code as number | null);
  return {
    child,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

async function addresses(started: Started): Promise<{ agent: string; evaluation: string }> {
  while (!started.stdout().includes("\n")) {
    await Promise.race([once(started.child.stdout!, "data"), started.ended]);
    if (started.child.exitCode !== null) throw new Error(started.stderr());
  }
  return JSON.parse(started.stdout());
}

test("requests name the targets of the folder's configuration, whose secrets are bound to their calls", async () => {
  await using agent = await startFakeAgent(({ text: said }, { "x-token": token }) =>
    token === "s3cret" ? { body: { said: `You said ${said}` } } : { status: 401, body: {} },
  );
  const support = {
    url: `${agent.url}/chat`,
    headers: { "X-Token": { env: "BOT_TOKEN" } },
    body: { text: "{{message}}" },
    reply: "/said",
  };
  const unset = { ...support, headers: { "X-Token": { env: "NOT_SET" } } };
  const inPath = { ...support, url: `${agent.url}/ask/{{message}}` };
  const targets = { support, unset, local: { command: "python3 bot.py" }, inPath };
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, "rehearsal.yaml"), JSON.stringify({ targets, limits: serviceLimits }));
  await using started = start(folder.path, { ...withoutDemo, BOT_TOKEN: "s3cret" }, "--json");
  const { evaluation } = await addresses(started);
  const ask = (endpoint: object, text = "Hi") => {
    const test_batch = { id: "s", interactions: [{ id: "1", user_message: text }] };
    return send(`${evaluation}/evaluate`, { body: { test_batch, endpoint, model_id: "prod" } });
  };
  const { body } = await ask({ target: "support" });
  expect(body).toMatchObject({
    results: { scenarios: [{ attempts: [{ interactions: [{ agent_reply: "You said Hi" }] }] }] },
  });
  expect(JSON.stringify(body)).not.toContain("s3cret");
  for (const [name, message] of [
    ["suport", "names no target of this service: it knows support, unset, local, inPath"],
    ["unset", "needs the environment variable NOT_SET, which the service does not have"],
    ["local", "is a program on the service's machine, which only rehearsal eval starts"],
  ] as const) {
    const refused = await ask({ target: name });
    expect(refused.body).toMatchObject({ status: 422, errors: [{ pointer: "/endpoint/target", message }] });
  }
  for (const call of [{ method: "GET", body: undefined, url: `${agent.url}/chat?q={{message}}` }, { url: agent.url }]) {
    expect(await ask({ ...support, ...call })).toMatchObject({ status: 422 });
  }
  const heard = agent.requests.length;
  const climbing = await ask({ target: "inPath" }, "../admin/users");
  expect(JSON.stringify(climbing.body)).toContain("which means another path");
  expect(agent.requests).toHaveLength(heard);
});

test("serve prints one line for each service", async () => {
  await using folder = await temporaryFolder();
  await using started = start(folder.path, withoutDemo);
  while (started.stdout().split("\n").length < 3) await once(started.child.stdout!, "data");
  expect(started.stdout()).toMatch(
    /^agent backend {3}http:\/\/127\.0\.0\.1:\d+\nevaluation {6}http:\/\/127\.0\.0\.1:\d+\n$/,
  );
});

test("serve logs a demo that cannot be set up, and still stops with 0", async () => {
  await using folder = await temporaryFolder();
  await writeFile(folder.file("rehearsal.yaml"), "limits:\n  queue_max_runs: 1\n");
  await using started = start(folder.path);
  await expect.poll(started.stderr, { timeout: 20_000 }).toContain("the demo could not be set up");
  expect(started.stderr()).not.toContain("rehearsal:");
  started.child.kill("SIGTERM");
  expect(await started.ended).toBe(0);
});

test.runIf(process.platform === "linux")("serve replaces its process by one with memory limits", async () => {
  await using folder = await temporaryFolder();
  await using started = start(folder.path, withoutDemo, "--json");
  const { agent } = await addresses(started);
  expect(await send(`${agent}/healthz`)).toMatchObject({ status: 200 });
  const read = async (name: string) => (await readFile(`/proc/${started.child.pid}/${name}`, "utf8")).split("\0");
  expect(await read("environ")).toEqual(
    expect.arrayContaining(["MALLOC_TRIM_THRESHOLD_=131072", "MALLOC_ARENA_MAX=1"]),
  );
  expect(await read("cmdline")).toContain("--max-semi-space-size=16");
});

test("serve without configuration lists models, chats and evaluates itself", async () => {
  await using folder = await temporaryFolder();
  await using started = start(folder.path, {}, "--json");
  const { agent, evaluation } = await addresses(started);
  const models = (await send(`${agent}/studio/models`)).body as Record<string, string>;
  expect(Object.keys(models)).toEqual(["demo-support-v1", "demo-support-v2"]);

  const headers = { "x-model-id": "demo/scripted" };
  const body = { messages: [{ type: "human", content: "What is 17 * 23?" }] };
  const reply = await send(`${agent}/`, { headers, body });
  expect(reply.body).toMatchObject({ content: "17 * 23 is 391." });

  for (const model_id of ["demo/scripted", models["demo-support-v2"]]) {
    const run = await send(`${evaluation}/evaluate`, {
      body: {
        test_batch: { id: "self", interactions: [{ id: "1", user_message: "Hello!", reference_reply: "Hello!" }] },
        endpoint: agent,
        protocol: "agent",
        model_id,
      },
    });
    expect(run.body).toMatchObject({ message: "Evaluation completed: 1 interaction", demo: true });
  }
  const direct = await send(`${evaluation}/evaluate`, {
    body: {
      test_batch: { id: "direct", interactions: [{ id: "1", user_message: "Hello!" }] },
      endpoint: `${agent}/demo/v1`,
      model_id: "demo/scripted",
    },
  });
  expect(direct.body).toMatchObject({ message: "Evaluation completed: 1 interaction", demo: true });
});

test.each(isDeep ? (["SIGTERM", "SIGINT"] as const) : (["SIGTERM"] as const))(
  "%s lets running requests end, then exits 0",
  async (signal) => {
    await using folder = await temporaryFolder();
    const arrived = Promise.withResolvers<void>();
    await using provider = await startFakeProvider({
      behaviour: (call) => {
        arrived.resolve();
        return after(300, text("Done"))(call);
      },
    });
    await using started = start(folder.path, withoutDemo, "--json");
    const { evaluation } = await addresses(started);
    const running = send(`${evaluation}/evaluate`, {
      body: {
        test_batch: { id: "slow", interactions: [{ id: "1", user_message: "Hello" }] },
        endpoint: provider.url,
        model_id: "m",
      },
    });
    await arrived.promise;
    started.child.kill(signal);
    expect((await running).body).toMatchObject({ message: "Evaluation completed: 1 interaction" });
    expect(await started.ended).toBe(0);
  },
);

test.each([
  ["cuts its calls off", { graceMs: 300, replyMs: 60_000 }],
  ["lets its calls end", { graceMs: 60_000, replyMs: 300 }],
])(
  "a stop that %s answers waiting requests with the location of their run, and ends event streams",
  async (_, times) => {
    await using folder = await temporaryFolder();
    const arrived = Promise.withResolvers<void>();
    await using provider = await startFakeProvider({
      behaviour: (call) => {
        arrived.resolve();
        return after(times.replyMs, text("Done"))(call);
      },
    });
    const environment = { REHEARSAL_SHUTDOWN_GRACE_MS: String(times.graceMs), ...withoutDemo };
    await using started = start(folder.path, environment, "--json");
    const { evaluation } = await addresses(started);
    const waiting = send(`${evaluation}/evaluate`, {
      body: {
        test_batch: { id: "long", interactions: [{ id: "1", user_message: "Hello" }] },
        endpoint: provider.url,
        model_id: "m",
        attempts: 100,
        concurrency: 1,
      },
    });
    await arrived.promise;
    const { runs } = (await send(`${evaluation}/runs`)).body as { runs: { run_id: string }[] };
    const events = await fetch(`${evaluation}/runs/${runs[0]?.run_id}/events`);
    started.child.kill("SIGTERM");
    const { status, headers, body } = await waiting;
    expect([status, headers.get("location")]).toEqual([503, `/runs/${runs[0]?.run_id}`]);
    expect(body).toMatchObject({ code: "shutting_down" });
    expect(await events.text().catch(() => "cut off")).not.toContain("event: end");
    expect(await started.ended).toBe(0);
  },
);

test("a stop right after the start exits with 0", async () => {
  await using folder = await temporaryFolder();
  await using started = start(folder.path, {}, "--json");
  await addresses(started);
  started.child.kill("SIGTERM");
  expect(await started.ended).toBe(0);
  expect(started.stderr()).not.toContain('"level":"fatal"');
});

deepTest("an unread log blocks neither answers nor the stop", async () => {
  await using folder = await temporaryFolder();
  await using started = start(folder.path, { ...withoutDemo, LOG_LEVEL: "info" }, "--json");
  const { agent } = await addresses(started);
  started.child.stderr!.pause();
  const address = `${agent}/${"x".repeat(200)}`;
  const ask = async () => (await fetch(address)).text();
  // Several times what a pipe holds.
  for (let count = 0; count < 500; count += 50) await Promise.all(Array.from({ length: 50 }, ask));
  started.child.kill("SIGTERM");
  expect(await started.ended).toBe(0);
});

test("serve exits with 78 and one line that names the port when a port is taken", async () => {
  await using folder = await temporaryFolder();
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const port = String((taken.address() as AddressInfo).port);
  const env = { ...serviceEnvironment, REHEARSAL_AGENT_PORT: port };
  expect(await runCli(["serve"], { cwd: folder.path, env })).toEqual({
    code: 78,
    stdout: "",
    stderr: expect.stringMatching(
      new RegExp(`^rehearsal: Cannot listen: port ${port} .*in use.* with --port or REHEARSAL_AGENT_PORT .*\\n$`),
    ),
  });
  taken.close();
});

test.each([
  [{ REHEARSAL_EVAL_PORT: "http" }, "REHEARSAL_EVAL_PORT"],
  [{ REHEARSAL_HOST: "0.0.0.0" }, "REHEARSAL_HOST"],
  [{ EVAL_ENDPOINT_API_KEY: "sk-canary" }, "EVAL_ENDPOINT_API_KEY"],
  [{ HUB_BASE_URL: "nowhere" }, "HUB_BASE_URL"],
  [{ STUDIO_MODELS_FILE: "nowhere.yaml" }, "STUDIO_MODELS_FILE nowhere.yaml: cannot be read"],
  [{ AGENT_KNOWLEDGE_DIR: "nowhere" }, "AGENT_KNOWLEDGE_DIR names nowhere, which is not a folder"],
  [{ REHEARSAL_BACKUP_DIR: import.meta.filename }, "serve.test.ts, which cannot be created (EEXIST)"],
])("serve exits with 78 and one line that names the setting: %o", async (setting, name) => {
  await using folder = await temporaryFolder();
  const env = { ...serviceEnvironment, ...setting };
  const { code, stderr } = await runCli(["serve"], { cwd: folder.path, env });
  expect({ code, lines: stderr.trimEnd().split("\n").length }).toEqual({ code: 78, lines: 1 });
  expect(stderr).toContain(name);
  expect(stderr).not.toContain("canary");
});
