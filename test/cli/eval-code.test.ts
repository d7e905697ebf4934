import { spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import { commandLine } from "../support/command-line.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { lastUserMessage, text } from "../support/fake-provider/replies.ts";
import { send } from "../support/http.ts";
import { runServices } from "../support/services.ts";
import { folderWith } from "./eval-files.ts";
import { runCli } from "./run-cli.ts";

const config = `
prompts: ["{{q}}", "Please: {{q}}"]
providers: [openai:gpt-5]
tests:
  - vars: { q: Hello }
    options: { transform: output.toUpperCase() }
    threshold: 0.5
    assert:
      - { type: contains, value: HELLO }
      - { type: javascript, value: "output === context.vars.q.toUpperCase()" }
      - { type: javascript, value: file://kind.cjs:kind, weight: 2 }
`;
const kind =
  "exports.kind = (output) => ({ pass: output.startsWith('PLEASE'), score: 1, reason: process.env.SECRET ?? 'no secret' });";
const files = { "promptfooconfig.yaml": config, "kind.cjs": kind };

test("eval runs a promptfoo configuration, with its code only when that is allowed", async () => {
  await using folder = await folderWith(files);
  await using provider = await startFakeProvider({ behaviour: (call) => text(lastUserMessage(call.request))(call) });
  const cwd = folder.path;
  const target = ["--endpoint", provider.url, "--json"];
  const run = (...more: string[]) =>
    runCli(["eval", "promptfooconfig.yaml", ...target, ...more], { cwd, env: { SECRET: "hidden" } });

  const { stderr, ...refused } = await run();
  expect(stderr).toContain(
    "promptfooconfig.yaml:10 /tests/0/assert/1: assertion javascript: it is code, which is imported only with --allow-code",
  );
  expect(JSON.parse(refused.stdout).runs[0].results.scenarios[0].average_scores).toEqual({ success: 1 });

  const { runs } = JSON.parse((await run("--allow-code")).stdout);
  expect(runs.map((entry: { model_id: string }) => entry.model_id)).toEqual(["openai/gpt-5", "openai/gpt-5"]);
  const turns = runs.map(({ results }: EvaluationResponse) => results.scenarios[0]?.attempts[0]?.interactions[0]);
  expect(turns).toMatchObject([
    { user_message: "Hello", agent_reply: "Hello", scores: { "group.contains": 1, "group.javascript": 1, group: 1 } },
    {
      user_message: "Hello",
      agent_reply: "Please: Hello",
      scores: { "group.javascript": 0, "group.javascript_2": 1, group: 1, overall: 1 },
      score_reasons: { "group.javascript_2": "no secret" },
    },
  ]);

  // The variants have the same scenarios and expectations.
  const [first, second] = runs.map(({ run_id }: { run_id: string }) => run_id);
  const compared = await runCli(["compare", first, second, "--json"], { cwd });
  expect(JSON.parse(compared.stdout)).toMatchObject({
    scores: expect.arrayContaining([expect.objectContaining({ name: "overall", scenarios: 1 })]),
  });

  const rescored = await runCli(["runs", "rescore", first, "--json"], { cwd });
  expect(JSON.parse(rescored.stdout).summary.average_scores).toMatchObject({ "group.javascript": 1 });
});

test("import keeps code with paths from the written file, which eval runs", async () => {
  await using folder = await folderWith(files);
  const cwd = folder.path;
  const written = await runCli(["import", "promptfooconfig.yaml", "--allow-code", "-o", "own/s.yaml"], { cwd });
  expect(written.stderr).toContain("wrote 1 scenario to own/s.prompt-2.yaml");
  await using provider = await startFakeProvider({ behaviour: text("Please") });
  const { stdout } = await runCli(["eval", "own/s.prompt-2.yaml", "--endpoint", provider.url, "-m", "m", "--json"], {
    cwd,
  });
  const [{ results }] = JSON.parse(stdout).runs;
  expect(results.scenarios[0].average_scores).toMatchObject({ "group.javascript": 0, "group.javascript_2": 1 });
});

test("code comes from files on this machine only", async () => {
  const check = { type: "javascript", code: "true" };
  const scenario = { id: "s", interactions: [{ id: "1", user_message: "Hi", checks: [check] }] };
  await using folder = await folderWith({
    "s.json": JSON.stringify([scenario]),
    "gone.json": JSON.stringify([
      { id: "g", interactions: [{ id: "1", user_message: "Hi", checks: [{ type: "python", file: "gone.py" }] }] },
    ]),
  });
  const cwd = folder.path;
  const target = ["--endpoint", "http://127.0.0.1:9/v1", "-m", "m"];
  await using services = await runServices();
  const elsewhere = await runCli(["eval", "s.json", ...target, "--server", services.evaluation], { cwd });
  expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringContaining("which only this machine may run") });
  const gone = await runCli(["eval", "gone.json", ...target], { cwd });
  expect(gone).toMatchObject({ code: 2, stderr: expect.stringMatching(/gone\.py does not exist/) });

  const request = { test_batch: scenario, endpoint: "http://127.0.0.1:9/v1", model_id: "m" };
  const post = (path: string, body: object) => send(`${services.evaluation}${path}`, { body });
  const refused = { status: 422, body: { errors: [{ code: "not_allowed" }] } };
  expect(await post("/evaluate", request)).toMatchObject(refused);
  const group = {
    type: "group",
    checks: [{ type: "contains", text: "a", transform: [{ language: "python", code: "1" }] }],
  };
  expect(
    await post("/evaluate", {
      ...request,
      test_batch: { ...scenario, interactions: [{ id: "1", user_message: "Hi", checks: [group] }] },
    }),
  ).toMatchObject(refused);
  expect(
    await post("/evaluate", {
      ...request,
      test_batch: { id: "s", interactions: [{ id: "1", user_message: "Hi" }] },
      scorers: [check],
    }),
  ).toMatchObject(refused);

  const imported = await send(`${services.evaluation}/scenarios/import`, {
    body: { text: config, name: "promptfooconfig.yaml" },
  });
  expect(JSON.stringify(imported.body)).toContain("assertion javascript: it is code");
  expect(JSON.stringify(imported.body)).not.toContain("context.vars.q.toUpperCase");
});

const hasPytest = spawnSync("python3", ["-c", "import pytest"]).status === 0;

test.runIf(hasPytest)("the pytest example makes a test of each scenario", async () => {
  await using folder = await folderWith({});
  cpSync(join(import.meta.dirname, "../../examples/pytest"), folder.path, { recursive: true });
  const env = { ...process.env, REHEARSAL: `${process.execPath} ${commandLine}` };
  const { status, stdout } = spawnSync("python3", ["-m", "pytest", "-q"], { cwd: folder.path, env, encoding: "utf8" });
  expect(stdout).toContain("2 passed");
  expect(status).toBe(0);
});
