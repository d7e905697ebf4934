import { readFile, writeFile } from "node:fs/promises";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
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
