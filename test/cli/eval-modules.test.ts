import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import type { Behaviour, RecordedRequest } from "../support/fake-provider/behaviour.ts";
import { lastUserMessage, text } from "../support/fake-provider/replies.ts";
import { toolCalls } from "../support/fake-provider/tool-calls.ts";
import { commandLine } from "../support/command-line.ts";
import { send } from "../support/http.ts";
import { runServices } from "../support/services.ts";
import { folderWith } from "./eval-files.ts";
import { runCli } from "./run-cli.ts";

const counter = `
  import { appendFileSync } from "node:fs";
  export const state = () => ({ count: 0 });
  export const tools = {
    add: {
      description: "Adds one.",
      run(_, state) {
        appendFileSync(import.meta.dirname + "/calls.txt", ".");
        state.count += 1;
        return { count: state.count, secret: process.env.SECRET_KEY ?? null, declared: process.env.DECLARED ?? null };
      },
    },
  };
`;
const scenario = `
id: count
world: { module: ./counter.mjs, max_steps: 50 }
interactions: [{ id: a, user_message: Count to three }]
expect: { state: { /count: 3 }, state_after: [{ name: add }, { name: add }, { name: add }] }
`;

const results = ({ body }: RecordedRequest): number =>
  ((body?.["messages"] ?? []) as { role: string }[]).filter(({ role }) => role === "tool").length;

const countToThree: Behaviour = (call) =>
  (results(call.request) < 3 ? toolCalls({ name: "add", arguments: {} }) : text("Three"))(call);

test("eval runs the functions of a module, which sees only declared variables", async () => {
  await using folder = await folderWith({ "counter.mjs": counter, "count.yaml": scenario });
  await using provider = await startFakeProvider({ behaviour: countToThree });
  const target = ["--endpoint", provider.url, "-m", "m"];
  const env = { SECRET_KEY: "a secret", DECLARED: "yes", REHEARSAL_CODE_ENV: "DECLARED" };
  const { code, stdout, stderr } = await runCli(["eval", "count.yaml", ...target, "--json", "-a", "2"], {
    cwd: folder.path,
    env,
  });
  expect(stderr).not.toContain("rehearsal:");
  expect(code).toBe(0);
  const [run] = JSON.parse(stdout).runs;
  expect(run.results.scenarios[0].attempts[1]).toMatchObject({
    interactions: [
      {
        agent_reply: "Three",
        tool_calls: [1, 2, 3].map((count) => ({ result: { count, secret: null, declared: "yes" } })),
      },
    ],
    outcome: { value: 1 },
  });
  expect(provider.requests[0]?.body?.["tools"]).toMatchObject([
    { function: { name: "add", description: "Adds one." } },
  ]);

  const config = JSON.stringify({ scenarios: "plain.yaml", world: { module: "counter.mjs" } });
  await writeFile(folder.file("conf.json"), config);
  await writeFile(folder.file("plain.yaml"), scenario.replace(/^world.*\n/m, ""));
  const planned = await runCli(["eval", "-c", "conf.json", ...target, "--dry-run"], { cwd: folder.path });
  expect(planned).toMatchObject({ code: 0 });
});

test("the example world tells a right call from a wrong one", async () => {
  await using folder = await folderWith({});
  const answer: Behaviour = (call) =>
    (results(call.request) > 0
      ? text("Done.")
      : toolCalls({ name: "cancel_order", arguments: { order_id: /\d+/.exec(lastUserMessage(call.request))?.[0] } }))(
      call,
    );
  await using provider = await startFakeProvider({ behaviour: answer });
  const file = join(import.meta.dirname, "../../examples/worlds/cancel-order.yaml");
  const { stdout } = await runCli(["eval", file, "--endpoint", provider.url, "-m", "m", "--json"], {
    cwd: folder.path,
  });
  const [cancelled, late] = JSON.parse(stdout).runs[0].results.scenarios;
  expect(cancelled.attempts[0]).toMatchObject({
    interactions: [{ tool_calls: [{ result: { ok: true, refunded: 25 } }], scores: { tool_match: 1 } }],
    outcome: { value: 1 },
  });
  expect(late.attempts[0]).toMatchObject({
    interactions: [{ tool_calls: [{ error: "The order is shipped and cannot be cancelled." }] }],
    outcome: { value: 1 },
  });
});

test("a killed eval is resumed at its step with the module it names, and refused when that has changed", async () => {
  await using folder = await folderWith({ "counter.mjs": counter, "count.yaml": scenario });
  const cwd = folder.path;
  const held = Promise.withResolvers<void>();
  await using provider = await startFakeProvider({
    async behaviour(call) {
      if (results(call.request) !== 2) return countToThree(call);
      held.resolve();
      await new Promise(() => {});
    },
  });
  const child = spawn(process.execPath, [commandLine, "eval", "count.yaml", "--endpoint", provider.url, "-m", "m"], {
    cwd,
    env: {},
    stdio: "ignore",
  });
  await held.promise;
  child.kill("SIGKILL");
  await once(child, "exit");
  provider.setBehaviour(countToThree);

  await writeFile(folder.file("counter.mjs"), counter.replace("count: 0", "count: 1"));
  const refused = await runCli(["eval", "--resume", "latest"], { cwd });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("counter.mjs has other tools or another initial state than when the run began");
  await writeFile(folder.file("counter.mjs"), counter);
  const { code, stdout } = await runCli(["eval", "--resume", "latest", "--json"], { cwd });
  expect(code).toBe(0);
  expect(JSON.parse(stdout).runs[0].results.scenarios[0].attempts[0].outcome).toMatchObject({ value: 1 });
  // Three of the conversation, three of the expected state.
  expect(await readFile(folder.file("calls.txt"), "utf8")).toBe("......");
});

test("modules come from files on this machine only", async () => {
  await using folder = await folderWith({ "broken.mjs": "export const tools = 1;", "count.yaml": scenario });
  const cwd = folder.path;
  const target = ["--endpoint", "http://127.0.0.1:9/v1", "-m", "m"];
  const missing = await runCli(["eval", "count.yaml", ...target], { cwd });
  expect(missing.code).toBe(2);
  expect(missing.stderr).toMatch(/The world module \S*counter\.mjs cannot be used: /);
  await writeFile(folder.file("bad.yaml"), scenario.replace("counter", "broken"));
  const broken = await runCli(["eval", "bad.yaml", ...target], { cwd });
  expect(broken.stderr).toContain("it exports no tools");
  const checked = await runCli(["validate", "bad.yaml"], { cwd });
  expect(checked.code).toBe(2);
  expect(checked.stderr).toContain("it exports no tools");

  await using services = await runServices();
  const elsewhere = await runCli(["eval", "count.yaml", ...target, "--server", services.evaluation], { cwd });
  expect(elsewhere.code).toBe(2);
  expect(elsewhere.stderr).toContain("which only this machine may run");
  const world = { module: folder.file("counter.mjs") };
  const test_batch = { id: "s", world, interactions: [{ id: "1", user_message: "Hi" }] };
  const { status, body } = await send(`${services.evaluation}/evaluate`, {
    body: { test_batch, endpoint: "http://127.0.0.1:9/v1", model_id: "m" },
  });
  expect(status).toBe(422);
  expect(body).toMatchObject({ errors: [{ pointer: "/test_batch/world/module", code: "not_allowed" }] });
});

test("the state of a world comes from a file beside the scenario or the configuration, also with a server", async () => {
  const tool = { name: "read", parameters: { type: "object" }, answers: [{ result: { $state: "/count" } }] };
  const turn = { id: "a", user_message: "Read", reference_tool_calls: [{ name: "read" }] };
  const inScenario = { id: "own", world: { state_file: "../states/seven.json", tools: [tool] }, interactions: [turn] };
  const config = { world: { state_file: "states/eight.yaml", tools: [tool] }, scenarios: "s/" };
  await using folder = await folderWith({ "rehearsal.json": JSON.stringify(config) });
  for (const [name, content] of Object.entries({
    "s/own.json": JSON.stringify(inScenario),
    "s/shared.json": JSON.stringify({ id: "shared", interactions: [turn] }),
    "states/seven.json": '{"count":7}',
    "states/eight.yaml": "count: 8",
    "states/broken.json": "{count",
  })) {
    await mkdir(dirname(folder.file(name)), { recursive: true });
    await writeFile(folder.file(name), content);
  }
  const readOnce: Behaviour = (call) =>
    (results(call.request) < 1 ? toolCalls({ name: "read", arguments: {} }) : text("Read"))(call);
  await using provider = await startFakeProvider({ behaviour: readOnce });
  const target = ["--endpoint", provider.url, "-m", "m", "--json"];
  const { code, stdout, stderr } = await runCli(["eval", ...target, "--allow-files"], { cwd: folder.path });
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("rehearsal:")]);
  const called = JSON.parse(stdout).runs[0].results.scenarios.map(
    ({ attempts }: { attempts: { interactions: { tool_calls: { result: unknown }[] }[] }[] }) =>
      attempts[0]?.interactions[0]?.tool_calls[0]?.result,
  );
  expect(called).toEqual([7, 8]);

  await writeFile(
    folder.file("s/own.json"),
    JSON.stringify({ ...inScenario, world: { state_file: "../states/broken.json", tools: [tool] } }),
  );
  for (const command of [["eval", ...target], ["validate"]]) {
    const refused = await runCli([...command, "--allow-files"], { cwd: folder.path });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/broken\.json is not valid JSON/)]);
  }
  await writeFile(
    folder.file("s/own.json"),
    JSON.stringify({ ...inScenario, world: { ...inScenario.world, state_file: "none.json" } }),
  );
  const missing = await runCli(["eval", ...target], { cwd: folder.path });
  expect([missing.code, missing.stderr]).toEqual([
    2,
    expect.stringMatching(/state_file: .*s\/none\.json does not exist/),
  ]);
});

test("rescoring a run with a module keeps its verdicts about the state, and decides the rest again", async () => {
  const files = ["count: 3", "count: 4"].map((wanted, index) =>
    scenario
      .replace("id: count", `id: count-${index}`)
      .replace("/count: 3", `/${wanted}`)
      .replace(", state_after", ", said: [Three], state_after"),
  );
  const texts = {
    "counter.mjs": counter,
    "count.yaml": files.join("---"),
    "rehearsal.json": '{"scenarios":"count.yaml"}',
  };
  await using folder = await folderWith(texts);
  await using provider = await startFakeProvider({ behaviour: countToThree });
  const cwd = folder.path;
  await runCli(["eval", "--endpoint", provider.url, "-m", "m"], { cwd });
  const outcomes = async () => {
    const { results: shown } = JSON.parse((await runCli(["runs", "show", "--json"], { cwd })).stdout);
    return shown.scenarios.map(({ attempts }: { attempts: { outcome: unknown }[] }) => attempts[0]?.outcome);
  };
  const before = await outcomes();
  expect(before).toMatchObject([{ value: 1 }, { value: 0, state_diff: [{ path: "/count", expected: 4, actual: 3 }] }]);
  // The module is gone: nothing may depend on it.
  await rm(folder.file("counter.mjs"));
  expect((await runCli(["runs", "rescore"], { cwd })).code).toBe(0);
  expect(await outcomes()).toEqual(before);
  await writeFile(folder.file("count.yaml"), texts["count.yaml"].replaceAll("said: [Three]", "said: [Four]"));
  expect((await runCli(["runs", "rescore", "-c", "rehearsal.json"], { cwd })).code).toBe(0);
  const after = await outcomes();
  expect(after[0]).toMatchObject({ value: 0, parts: expect.arrayContaining([before[0].parts[1]]) });
  expect(after[0].parts).toContainEqual({ name: "said", passed: false, reason: 'not said: "Four"' });
  expect(after[1].state_diff).toEqual(before[1].state_diff);
});
