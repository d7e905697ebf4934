import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { text } from "../support/fake-provider/replies.ts";
import { checkedHello, folderWith, hello } from "./eval-files.ts";
import { runCli } from "./run-cli.ts";

test("a file with a whole evaluation request sets endpoint, model and attempts", async () => {
  await using provider = await startFakeProvider({ behaviour: text("Yes") });
  const request = {
    test_batch: JSON.parse(hello),
    endpoint: provider.url,
    model_id: "m",
    attempts: 3,
    test_name: "from file",
  };
  await using folder = await folderWith({ "request.json": JSON.stringify(request) });
  const { stdout } = await runCli(["eval", "request.json", "--dry-run", "--json"], { cwd: folder.path });
  expect(JSON.parse(stdout)).toMatchObject({
    runs: [
      { test_name: "from file", endpoint: provider.url, model_id: "m", scenarios: 1, turns: 1, attempts: 3, calls: 3 },
    ],
    calls: 3,
  });
  expect(provider.requests).toEqual([]);
});

test("a byte order mark is not part of a prompt or of results", async () => {
  await using folder = await folderWith({ "hello.json": checkedHello, "prompt.txt": "\uFEFFBe brief." });
  await using provider = await startFakeProvider({ behaviour: text("Yes") });
  const options = { cwd: folder.path };
  const parameters = ["eval", "hello.json", "--endpoint", provider.url, "-m", "m"];
  expect((await runCli([...parameters, "--system", "@prompt.txt", "-o", "r.json"], options)).code).toBe(0);
  const [request] = provider.requests;
  expect(request?.body).toMatchObject({ messages: [{ role: "system", content: "Be brief." }, { role: "user" }] });
  await writeFile(folder.file("r.json"), `\uFEFF${await readFile(folder.file("r.json"), "utf8")}`);
  expect((await runCli(["compare", "r.json", "r.json"], options)).code).toBe(0);
  const missing = await runCli([...parameters, "--system", "@nope.txt"], options);
  expect(missing).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--system: .*nope\.txt does not exist/),
  });
});

test("a request file may begin with a byte order mark", async () => {
  const request = { test_batch: JSON.parse(hello), endpoint: "http://127.0.0.1:9/v1", model_id: "m" };
  await using folder = await folderWith({ "request.json": `\uFEFF${JSON.stringify(request)}` });
  const { code, stdout } = await runCli(["eval", "request.json", "--dry-run", "--json"], { cwd: folder.path });
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, runs: [{ model_id: "m" }] });
});

test("the run of a request file's replay_users is replayed", async () => {
  const request = { test_batch: JSON.parse(hello), model_id: "demo/retrieval", endpoint: "http://127.0.0.1:9/v1" };
  await using folder = await folderWith({
    "request.json": JSON.stringify({ ...request, replay_users: "nightly" }),
  });
  const { code, stderr } = await runCli(["eval", "request.json", "--dry-run"], { cwd: folder.path });
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("nightly") });
});

test("the gate and the replay of a request file are used, unless --gate is given", async () => {
  await using provider = await startFakeProvider({ behaviour: text("Nothing of the kind") });
  const request = {
    test_batch: JSON.parse(hello),
    endpoint: provider.url,
    model_id: "m",
    gate: { scores: { success: 1 }, scenario_scores: { overall: 0.9 } },
    threshold: 0.8,
    replay_first_bad_turn: true,
  };
  await using folder = await folderWith({ "request.json": JSON.stringify(request) });
  const strict = await runCli(["eval", "request.json", "--json"], { cwd: folder.path });
  expect(strict.code).toBe(1);
  const [run] = JSON.parse(strict.stdout).runs;
  expect(run.gates).toMatchObject([
    { gate: "success>=1", passed: true },
    { gate: "failure_rate<=0", passed: true },
    { gate: "overall>=0.9", passed: false, message: expect.stringContaining("in scenario hello") },
  ]);
  expect(run.results.scenarios[0].attempts[0].replay).toMatchObject({ from_turn: 0 });
  const typed = await runCli(["eval", "request.json", "--gate", "success>=1"], { cwd: folder.path });
  expect({ code: typed.code, said: typed.stderr }).toMatchObject({
    code: 0,
    said: expect.stringContaining("gate is not used"),
  });
});
