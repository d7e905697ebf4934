import { mkdir, readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { after } from "../support/fake-provider/behaviour.ts";
import { text } from "../support/fake-provider/replies.ts";
import { runServices } from "../support/services.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { checkedHello, folderWith, hello } from "./eval-files.ts";
import { startJsonSink } from "./json-sink.ts";
import { runCli, spawnCli } from "./run-cli.ts";

const examples = resolve(import.meta.dirname, "../../examples/scenarios");
const escapeCode = "\u001B";

test("eval needs no key and no service, and stores the run", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  const { code, stdout, stderr } = await runCli(
    ["eval", examples, "-m", "demo/retrieval", "--first", "2", "--no-gate"],
    { cwd },
  );
  expect(code).toBe(0);
  expect(stdout).toContain("A scripted demo model answered");
  expect(stdout + stderr).not.toContain(escapeCode);
  const [, sofar] = /^(?:\d+)\/\d+ turns {2}overall (0\.\d{3})$/m.exec(stderr) ?? [];
  expect(stdout).toMatch(new RegExp(`^  overall +${sofar} `, "m"));

  const { runs } = JSON.parse((await runCli(["runs", "list", "--json"], { cwd })).stdout);
  expect(runs).toMatchObject([{ state: "completed", model_id: "demo/retrieval", demo: true }]);
  const found = async (search: string) =>
    JSON.parse((await runCli(["runs", "list", "--search", search, "--json"], { cwd })).stdout).runs;
  expect(await found("RETRIEV")).toEqual(runs);
  expect(await found("something else")).toEqual([]);
  const shown = await runCli(["runs", "show", "latest", "--json"], { cwd });
  expect(JSON.parse(shown.stdout)).toMatchObject({ run_id: runs[0].run_id, state: "completed" });
  const short = await runCli(["runs", "show", runs[0].run_id.slice(-6), "--scenario", "broken-vase"], { cwd });
  expect(short.stdout).toContain("attempt 1");

  // One run may be named in several ways.
  const deleted = await runCli(["runs", "delete", "latest", runs[0].run_id, "--json"], { cwd });
  expect(deleted.code).toBe(0);
  expect(JSON.parse(deleted.stdout)).toEqual({ deleted: [runs[0].run_id] });
});

test.each(["public", "allowlist"])(
  "with policy %s eval calls its own agent and no other address of this machine",
  async (policy) => {
    await using folder = await folderWith({ "hello.json": hello });
    await using provider = await startFakeProvider({ behaviour: text("Yes") });
    const options = { cwd: folder.path, env: { EVAL_ENDPOINT_POLICY: policy } };
    const own = await runCli(["eval", "hello.json", "-m", "demo/retrieval", "--json"], options);
    expect(JSON.parse(own.stdout)).toMatchObject({
      runs: [{ results: { scenarios: [{ average_scores: { success: 1 } }] } }],
    });
    const other = await runCli(["eval", "hello.json", "-m", "m", "--endpoint", provider.url], options);
    expect(other.code).toBe(2);
    expect(provider.requests).toEqual([]);
  },
);

test("--json prints one document and nothing else", async () => {
  await using folder = await folderWith({ "hello.json": hello });
  await using provider = await startFakeProvider({ behaviour: text("Yes") });
  const { code, stdout } = await runCli(
    [
      "eval",
      "hello.json",
      "--endpoint",
      provider.url,
      "-m",
      "m",
      "--attempts",
      "2",
      "--gate",
      "overall>=0.9",
      "--json",
    ],
    { cwd: folder.path },
  );
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    passed: true,
    exit_code: 0,
    runs: [
      {
        results: { scenarios: [{ scenario_id: "hello" }] },
        gates: [{ gate: "overall>=0.9", passed: true, actual: 1 }],
      },
    ],
  });
});

test("the output of --json can be read as results when it holds one run", async () => {
  await using folder = await folderWith({ "hello.json": hello });
  await using provider = await startFakeProvider({ behaviour: text("Yes") });
  const cwd = folder.path;
  const parameters = ["eval", "hello.json", "--endpoint", provider.url, "-m", "m"];
  const { stdout } = await runCli([...parameters, "--json"], { cwd });
  await writeFile(folder.file("one.json"), stdout);
  const against = await runCli([...parameters, "--baseline", "one.json"], { cwd });
  expect(against).toMatchObject({ code: 0, stdout: expect.stringContaining("Compared with the baseline") });

  const { runs } = JSON.parse(stdout);
  await writeFile(folder.file("two.json"), JSON.stringify({ runs: [...runs, ...runs] }));
  await writeFile(folder.file("none.json"), "{}");
  const two = await runCli(["runs", "show", "two.json"], { cwd });
  expect(two).toMatchObject({ code: 2, stderr: expect.stringContaining("two.json holds 2 runs: rehearsal eval -o") });
  const none = await runCli(["runs", "show", "none.json"], { cwd });
  expect(none).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("rehearsal runs export -o results.json write"),
  });
});

test("report refuses results in JSONL or CSV and names the file it can read", async () => {
  await using folder = await folderWith({ "results.jsonl": "{}\n{}\n", "results.csv": "turn\n1\n" });
  for (const file of ["results.jsonl", "./results.csv"]) {
    const { code, stderr } = await runCli(["runs", "export", file], { cwd: folder.path });
    expect(code).toBe(2);
    expect(stderr).toContain(file);
    expect(stderr).toContain(
      "rehearsal eval -o results.json and rehearsal runs export -o results.json write results that can be read",
    );
  }
});

test("a closed pipe changes neither the run nor the exit code", async () => {
  const interactions = Array.from({ length: 4 }, (_, index) => ({ id: String(index), user_message: `Turn ${index}` }));
  await using folder = await folderWith({ "long.json": JSON.stringify({ id: "long", interactions }) });
  await using provider = await startFakeProvider({ behaviour: after(100, text("Yes")) });
  const { code } = await spawnCli(
    ["eval", "long.json", "--endpoint", provider.url, "-m", "m", "--gate", "failure_rate>=1", "-o", "results.json"],
    { cwd: folder.path, readUntil: "1/4 turns" },
  );
  expect(code).toBe(1);
  expect(JSON.parse(await readFile(folder.file("results.json"), "utf8"))).toMatchObject({ state: "completed" });
});

test("eval through a service gives the same results", async () => {
  await using folder = await folderWith({ "hello.json": checkedHello });
  await using services = await runServices();
  await using provider = await startFakeProvider({ behaviour: text("Yes") });
  const cwd = folder.path;
  const server = ["--server", services.evaluation];
  const run = await runCli(["eval", "hello.json", ...server, "--endpoint", provider.url, "-m", "m", "--json"], { cwd });
  expect(run.code).toBe(0);
  const { run_id } = JSON.parse(run.stdout).runs[0];
  const list = await runCli(["runs", "list", ...server, "--json"], { cwd });
  expect(JSON.parse(list.stdout).runs).toMatchObject([{ run_id }]);
  const noEndpoint = await runCli(["eval", "hello.json", ...server, "-m", "m"], { cwd });
  expect(noEndpoint).toMatchObject({ code: 2, stderr: expect.stringContaining("--endpoint") });
});

test("an unreachable service is reported in one line with exit 3", async () => {
  await using folder = await folderWith({ "hello.json": hello });
  const parameters = [
    "eval",
    "hello.json",
    "--server",
    "http://127.0.0.1:9",
    "--endpoint",
    "http://127.0.0.1:9",
    "-m",
    "m",
  ];
  const { code, stderr } = await runCli(parameters, { cwd: folder.path });
  expect(code).toBe(3);
  expect(stderr).toBe("rehearsal: Nothing answers at http://127.0.0.1:9\n");
});

test.each([
  ["that breaks is exit 5", 500, 5],
  ["that is away behind its proxy is exit 3", 502, 3],
  ["that refuses too much at once is exit 3", 429, 3],
])("a service %s", async (_what, status, expected) => {
  await using folder = await folderWith({ "hello.json": hello });
  await using broken = await startJsonSink({ status, body: {} });
  const parameters = ["eval", "hello.json", "--server", broken.url, "--endpoint", "http://127.0.0.1:9", "-m", "m"];
  const { code, stderr } = await runCli(parameters, { cwd: folder.path });
  expect({ code, stderr }).toEqual({ code: expected, stderr: expect.stringContaining(`status ${status}`) });
});

test("eval ranks several models, and compare ranks the runs that are named", async () => {
  const scenarios = Array.from({ length: 8 }, (_, index) => ({
    id: `s${index}`,
    interactions: [{ id: "1", user_message: `Say yes ${index}`, reference_reply: "Yes, of course" }],
  }));
  await using folder = await folderWith({ "all.jsonl": scenarios.map((one) => JSON.stringify(one)).join("\n") });
  await using provider = await startFakeProvider({
    models: { sure: text("Yes, of course"), half: text("Yes"), never: text("Never") },
  });
  const cwd = folder.path;
  const models = ["sure", "half", "never"].flatMap((model) => ["-m", model]);
  const evaluate = ["eval", "all.jsonl", "--endpoint", provider.url, ...models];
  const { code, stdout } = await runCli([...evaluate, "--no-gate"], { cwd });
  expect(code).toBe(0);
  const [head, ...rows] = stdout.slice(stdout.indexOf("sure is closest to the references")).trim().split("\n");
  expect(head).toMatch(
    /^sure is closest to the references on overall \(1\.000\), 0\.\d+ ahead of half \(p = 0\.0\d+\)\. That does not say/,
  );
  expect(rows.filter((row) => / (closest|behind) /.test(row)).map((row) => row.split(" ")[0])).toEqual([
    "sure",
    "half",
    "never",
  ]);
  const { runs, ranking } = JSON.parse((await runCli([...evaluate, "--json"], { cwd })).stdout);
  expect(ranking.runs.map(({ run_id }: { run_id: string }) => run_id)).toEqual(
    runs.map(({ run_id }: { run_id: string }) => run_id),
  );

  const named = await runCli(["compare", "latest", "latest~1", "latest~2", "--json"], { cwd });
  expect(JSON.parse(named.stdout)).toMatchObject({
    comparable: true,
    score: "overall",
    closeness: true,
    runs: [{ model_id: "sure" }, {}, {}],
  });
  const markdown = await runCli(["compare", "latest", "latest~1", "latest~2", "--markdown"], { cwd });
  expect(markdown.stdout).toContain("| `sure` | 1.000 |");
  const refused = await runCli(["compare", "latest", "latest~1", "latest~2", "--fail-on-regression"], { cwd });
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("name exactly two") });
  const twice = await runCli(["compare", "latest", "latest~1", "latest"], { cwd });
  expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining("is named twice") });
});

test("eval in a folder below a configuration suggests it but does not use it", async () => {
  await using folder = await folderWith({ "rehearsal.json": JSON.stringify({ scenarios: "hello.json", model: "m" }) });
  await mkdir(folder.file("deep/er"), { recursive: true });
  const { code, stderr } = await runCli(["eval"], { cwd: folder.file("deep/er") });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("--config ../../rehearsal.json\n") });
});
