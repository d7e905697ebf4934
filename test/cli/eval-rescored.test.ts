import { rename, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { hang } from "../support/fake-provider/connection-faults.ts";
import { text } from "../support/fake-provider/replies.ts";
import { checkedHello, folderWith, hello } from "./eval-files.ts";
import { runCli, spawnCli } from "./run-cli.ts";

test("rescore calls no model, and API keys of the service do not lock the command out", async () => {
  await using folder = await folderWith({ "hello.json": checkedHello });
  await using provider = await startFakeProvider({ behaviour: text("Yes") });
  const cwd = folder.path;
  const parameters = ["eval", "hello.json", "--endpoint", provider.url, "-m", "m"];
  await runCli(["keys", "create", "somebody"], { cwd });
  expect((await runCli(parameters, { cwd })).code).toBe(0);
  const rescored = await runCli(["runs", "rescore", "latest"], { cwd });
  expect(rescored).toMatchObject({ code: 0, stdout: expect.stringContaining("overall 1.000 → 1.000") });
  const plan = JSON.parse((await runCli([...parameters, "--dry-run", "--json"], { cwd })).stdout);
  expect(plan.runs[0].estimate).toMatchObject({ model_calls: { expected: 1 } });
  expect(provider.requests).toHaveLength(1);
});

test("rescore uses the present configuration and scenarios", async () => {
  await using folder = await folderWith({ "hello.json": hello });
  await using provider = await startFakeProvider({ behaviour: text("Yes") });
  const configure = (config: object) =>
    writeFile(folder.file("rehearsal.json"), JSON.stringify({ scenarios: "hello.json", model: "m", ...config }));
  await configure({ endpoint: provider.url, threshold: 0.9 });
  expect((await runCli(["eval"], { cwd: folder.path })).code).toBe(0);

  const { interactions, ...scenario } = JSON.parse(hello);
  const [turn] = interactions;
  await writeFile(
    folder.file("hello.json"),
    JSON.stringify({ ...scenario, interactions: [{ ...turn, checks: [{ type: "contains", text: "No" }] }] }),
  );
  await configure({ endpoint: provider.url, scorers: ["exact_match"] });
  const rescored = await runCli(["runs", "rescore", "--config", "rehearsal.json", "--json"], { cwd: folder.path });
  expect(rescored.code).toBe(0);
  expect(JSON.parse(rescored.stdout).summary).toMatchObject({
    average_scores: { success: 1, exact_match: 1, contains: 0, overall: 0.5 },
    rescored: { replaced: ["scorers", "threshold", "test_batch"] },
  });
  await configure({ endpoint: provider.url, judge: { endpoint: provider.url, model_id: "judge" } });
  const unasked = await runCli(["runs", "rescore", "-c", "rehearsal.json"], { cwd: folder.path });
  expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining("/ask_models must be true") });
  expect(provider.requests).toHaveLength(1);

  provider.setModelBehaviour("judge", text('{"reason":"half of it","verdict":"partial"}'));
  const asked = await runCli(["runs", "rescore", "-c", "rehearsal.json", "--ask-models", "--json"], {
    cwd: folder.path,
  });
  expect(asked.code).toBe(0);
  expect(JSON.parse(asked.stdout).summary.average_scores).toMatchObject({ judge_correctness: 0.5 });
  expect(provider.requests).toHaveLength(2);
});

test("Ctrl-C during rescore says how to complete it", async () => {
  const asked = Promise.withResolvers<void>();
  await using provider = await startFakeProvider({ behaviour: text("Yes") });
  const config = {
    scenarios: "hello.json",
    model: "m",
    endpoint: provider.url,
    judge: { endpoint: provider.url, model_id: "judge" },
  };
  await using folder = await folderWith({ "hello.json": checkedHello, "rehearsal.json": JSON.stringify(config) });
  const { judge: _, ...without } = config;
  await writeFile(folder.file("first.json"), JSON.stringify(without));
  expect((await runCli(["eval", "-c", "first.json"], { cwd: folder.path })).code).toBe(0);
  provider.setModelBehaviour("judge", (call) => {
    asked.resolve();
    return hang(call);
  });
  const parameters = ["runs", "rescore", "-c", "rehearsal.json", "--ask-models"];
  const { code, stderr } = await spawnCli(parameters, { cwd: folder.path, interruptAt: asked.promise });
  expect({ code, stderr }).toEqual({
    code: 130,
    stderr: expect.stringContaining("Run the same command again to finish"),
  });
  const shown = JSON.parse((await runCli(["runs", "show", "--json"], { cwd: folder.path })).stdout);
  expect(shown.summary.rescored).toMatchObject({ replaced: ["judge"], partial: true });
});

test("rescore refuses to drop the scores of a scorer module that is not there", async () => {
  const scorers = "export const polite = ({ reply }) => ({ value: reply.includes('please') ? 1 : 0 });";
  await using folder = await folderWith({ "hello.json": hello, "scorers.mjs": scorers });
  await using provider = await startFakeProvider({ behaviour: text("Yes please") });
  const cwd = folder.path;
  const env = { REHEARSAL_SCORERS_MODULE: "scorers.mjs" };
  expect((await runCli(["eval", "hello.json", "--endpoint", provider.url, "-m", "m"], { cwd, env })).code).toBe(0);
  const refused = await runCli(["runs", "rescore"], { cwd });
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toMatch(/needs polite.*REHEARSAL_SCORERS_MODULE/);
  expect(await runCli(["runs", "rescore"], { cwd, env })).toMatchObject({ code: 0 });
  const { summary } = JSON.parse((await runCli(["runs", "show", "--json"], { cwd })).stdout);
  expect(summary.average_scores).toMatchObject({ polite: 1 });
});

test("rescore refuses to drop the scores of code that cannot be run", async () => {
  const scorers = [{ type: "javascript", name: "polite", file: "polite.mjs" }];
  const config = JSON.stringify({ scenarios: "hello.json", scorers });
  await using folder = await folderWith({
    "hello.json": hello,
    "rehearsal.json": config,
    "polite.mjs": "export default (reply) => reply.includes('please');",
  });
  await using provider = await startFakeProvider({ behaviour: text("Yes please") });
  const cwd = folder.path;
  expect((await runCli(["eval", "--endpoint", provider.url, "-m", "m"], { cwd })).code).toBe(0);
  await rename(folder.file("polite.mjs"), folder.file("moved.mjs"));
  const refused = await runCli(["runs", "rescore"], { cwd });
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^rehearsal: \S+polite\.mjs does not exist/),
  });
  await rename(folder.file("moved.mjs"), folder.file("polite.mjs"));
  expect(await runCli(["runs", "rescore"], { cwd })).toMatchObject({ code: 0 });
  const { summary } = JSON.parse((await runCli(["runs", "show", "--json"], { cwd })).stdout);
  expect(summary.average_scores).toMatchObject({ polite: 1 });
});
