import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { expect, test, vi } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { after } from "../support/fake-provider/behaviour.ts";
import { hang } from "../support/fake-provider/connection-faults.ts";
import { contextTooLong } from "../support/fake-provider/error-statuses.ts";
import { text } from "../support/fake-provider/replies.ts";
import { runServices } from "../support/services.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startJsonSink } from "./json-sink.ts";
import { runCli } from "./run-cli.ts";

const examples = resolve(import.meta.dirname, "../../examples/scenarios");
const escapeCode = "\u001B";

const hello = JSON.stringify({
  id: "hello",
  interactions: [{ id: "1", user_message: "Say yes", reference_reply: "Yes" }],
});
const goodbye = JSON.stringify({
  id: "goodbye",
  interactions: [{ id: "1", user_message: "Say no", reference_reply: "No" }],
});

async function folderWith(files: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(files)) await writeFile(folder.file(name), content);
  return folder;
}

test("evaluates without a key or a service, and keeps the run", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  const { code, stdout, stderr } = await runCli(["eval", examples, "-m", "demo/retrieval", "--first", "2"], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain("A scripted demo model answered");
  expect(stdout + stderr).not.toContain(escapeCode);
  const [, sofar] = /^(?:\d+)\/\d+ turns {2}overall (0\.\d{3})$/m.exec(stderr) ?? [];
  expect(stdout).toMatch(new RegExp(`^  overall +${sofar} `, "m"));

  const { runs } = JSON.parse((await runCli(["list", "--json"], { cwd })).stdout);
  expect(runs).toMatchObject([{ state: "completed", model_id: "demo/retrieval", demo: true }]);
  const found = async (search: string) =>
    JSON.parse((await runCli(["list", "--search", search, "--json"], { cwd })).stdout).runs;
  expect(await found("RETRIEV")).toEqual(runs);
  expect(await found("something else")).toEqual([]);
  const shown = await runCli(["show", "latest", "--json"], { cwd });
  expect(JSON.parse(shown.stdout)).toMatchObject({ run_id: runs[0].run_id, state: "completed" });
  const short = await runCli(["show", runs[0].run_id.slice(-6), "--scenario", "broken-vase"], { cwd });
  expect(short.stdout).toContain("attempt 1");

  // One run may be named in several ways.
  const deleted = await runCli(["delete", "latest", runs[0].run_id, "--json"], { cwd });
  expect(deleted.code).toBe(0);
  expect(JSON.parse(deleted.stdout)).toEqual({ deleted: [runs[0].run_id] });
});

test.each(["public", "allowlist"])(
  "with policy %s its own agent is evaluated, and nothing else here",
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

test("what --json printed is read as the results of a run, where it is one", async () => {
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
  const two = await runCli(["show", "two.json"], { cwd });
  expect(two).toMatchObject({ code: 2, stderr: expect.stringContaining("two.json holds 2 runs: rehearsal eval -o") });
  const none = await runCli(["show", "none.json"], { cwd });
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining("rehearsal report -o results.json write") });
});

test("of results in lines or a table, it is said which file can be read instead", async () => {
  await using folder = await folderWith({ "results.jsonl": "{}\n{}\n", "results.csv": "turn\n1\n" });
  for (const file of ["results.jsonl", "./results.csv"]) {
    const { code, stderr } = await runCli(["report", file], { cwd: folder.path });
    expect(code).toBe(2);
    expect(stderr).toContain(file);
    expect(stderr).toContain("rehearsal eval -o results.json and rehearsal report -o results.json write such a file");
  }
});

test("a gate that is not reached is exit 1", async () => {
  await using folder = await folderWith({ "hello.json": hello });
  await using provider = await startFakeProvider({ behaviour: text("Maybe") });
  const { code, stdout } = await runCli(
    ["eval", "hello.json", "--endpoint", provider.url, "-m", "m", "--gate", "overall>=0.9", "--gate", "success>=1"],
    { cwd: folder.path },
  );
  expect(code).toBe(1);
  expect(stdout).toContain("✗ overall>=0.9: is 0, failed");
  expect(stdout).toContain("✓ success>=1: is 1, passed");
});

test("a gate on a score that cannot be is wrong usage, before a model is asked", async () => {
  await using folder = await folderWith({ "hello.json": hello });
  await using provider = await startFakeProvider({ behaviour: text("Yes") });
  const gate = (rule: string) =>
    runCli(["eval", "hello.json", "--endpoint", provider.url, "-m", "m", "--gate", rule], { cwd: folder.path });
  expect(await gate("overal>=0.5")).toMatchObject({ code: 2, stderr: expect.stringContaining('mean "overall"?') });
  expect(await gate("failure_rat<=0")).toMatchObject({ code: 2, stderr: expect.stringContaining('"failure_rate"?') });
  expect(await gate("metadata.intent>=1")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("may have overall"),
  });
  expect(provider.requests).toEqual([]);
  expect((await gate("chrf>=0")).code).toBe(1);
});

test("a target that does not answer is exit 3, whatever the gates say", async () => {
  await using folder = await folderWith({ "hello.json": hello });
  const { code, stdout } = await runCli(
    ["eval", "hello.json", "--endpoint", "http://127.0.0.1:9/v1", "-m", "m", "--gate", "overall>=0.1"],
    { cwd: folder.path },
  );
  expect(code).toBe(3);
  expect(stdout).toContain("The target cannot be used: 1 of 1 turn got no reply.");
});

test("in CI one missing reply is too many; --max-errors allows some", async () => {
  await using folder = await folderWith({ "a.jsonl": `${hello}\n${goodbye}\n` });
  let calls = 0;
  await using provider = await startFakeProvider({
    behaviour: (call) => (calls++ === 0 ? contextTooLong(call) : text("Yes")(call)),
  });
  const parameters = ["eval", "a.jsonl", "--endpoint", provider.url, "-m", "m", "-j", "1"];
  const strict = await runCli(parameters, { cwd: folder.path, env: { CI: "true" } });
  expect(strict.code).toBe(3);
  expect(strict.stdout).toContain("1 of 2 turns got no reply. None may be missing: --max-errors allows more.");
  calls = 0;
  const relaxed = await runCli([...parameters, "--max-errors", "0.5"], { cwd: folder.path, env: { CI: "true" } });
  expect(relaxed.code).toBe(0);
});

test("Ctrl-C keeps what is done and prints the line that goes on with it", async () => {
  const interactions = Array.from({ length: 8 }, (_, index) => ({ id: String(index), user_message: `Turn ${index}` }));
  await using folder = await folderWith({ "long.json": JSON.stringify({ id: "long", interactions }) });
  await using provider = await startFakeProvider({ behaviour: after(250, text("Yes")) });
  const cwd = folder.path;
  let interrupted = false;
  const first = await runCli(["eval", "long.json", "--endpoint", provider.url, "-m", "m"], {
    cwd,
    onStderr: (seen, kill) => {
      if (interrupted || !seen.includes("2/8 turns")) return;
      interrupted = true;
      kill("SIGINT");
    },
  });
  expect(first.code).toBe(130);
  const resume = /rehearsal eval (--resume [0-9a-f-]{36})/.exec(first.stderr)?.[1]?.split(" ") ?? [];
  const before = provider.requests.length;
  expect(before).toBeLessThan(8);

  const second = await runCli(["eval", ...resume, "--json"], { cwd });
  expect(second.code).toBe(0);
  const [run] = JSON.parse(second.stdout).runs;
  expect(run).toMatchObject({ state: "completed", run_id: resume[1], summary: { interactions: 8, failed: 0 } });
  // Only the call in flight at the interruption may be made again.
  expect(provider.requests.length).toBeLessThanOrEqual(9);
});

test("a run that goes on makes as many calls at once as the configuration says, and the line for it says so", async () => {
  const scenarios = Array.from({ length: 12 }, (_, index) => ({
    id: `s${index}`,
    interactions: [{ id: "1", user_message: "Hello" }],
  }));
  const config = JSON.stringify({ scenarios: "all.json", model: "m", concurrency: 1 });
  await using folder = await folderWith({ "all.json": JSON.stringify(scenarios), "rehearsal.json": config });
  const slow = after(100, text("Yes"));
  let atOnce = 0;
  let most = 0;
  await using provider = await startFakeProvider({
    async behaviour(call) {
      most = Math.max(most, ++atOnce);
      await slow(call);
      atOnce -= 1;
    },
  });
  const cwd = folder.path;
  let interrupted = false;
  const first = await runCli(["eval", "--endpoint", provider.url], {
    cwd,
    onStderr: (seen, kill) => {
      if (interrupted || !seen.includes("/12 turns")) return;
      interrupted = true;
      kill("SIGINT");
    },
  });
  expect(first.code).toBe(130);
  expect(first.stderr).toMatch(/rehearsal eval --resume \S+ -j 1$/m);
  const { code, stderr } = await runCli(["eval", "all.json", "--resume", "latest", "-m", "n"], { cwd });
  expect({ code, most }).toEqual({ code: 0, most: 1 });
  expect(stderr).toContain("The run goes on with what it was made of, whatever all.json, -m says.\n");
  expect(provider.requests.length).toBeGreaterThanOrEqual(12);
});

test("Ctrl-C in the second of three runs leaves the file of the first, and names the third", async () => {
  await using folder = await folderWith({ "hello.json": hello });
  await using provider = await startFakeProvider({ behaviour: text("Yes"), models: { slow: hang } });
  const models = ["-m", "quick", "-m", "slow", "-m", "never"];
  const ended = await runCli(["eval", "hello.json", "--endpoint", provider.url, ...models, "-o", "out.json"], {
    cwd: folder.path,
    interruptAt: vi.waitUntil(() => provider.requests.length === 2, { timeout: 30_000 }),
  });
  expect(ended.code).toBe(130);
  expect(ended.stderr).toMatch(/rehearsal eval --resume \S+\nNot begun: never\n$/);
  expect(await readdir(folder.path)).toEqual([".rehearsal", "hello.json", "out-1.json"]);
  expect(JSON.parse(await readFile(folder.file("out-1.json"), "utf8"))).toMatchObject({ model_id: "quick" });
});

test("a reader that leaves early changes neither the run nor the exit code", async () => {
  const interactions = Array.from({ length: 4 }, (_, index) => ({ id: String(index), user_message: `Turn ${index}` }));
  await using folder = await folderWith({ "long.json": JSON.stringify({ id: "long", interactions }) });
  await using provider = await startFakeProvider({ behaviour: after(100, text("Yes")) });
  const { code } = await runCli(
    ["eval", "long.json", "--endpoint", provider.url, "-m", "m", "--gate", "failure_rate>=1", "-o", "results.json"],
    { cwd: folder.path, readUntil: "1/4 turns" },
  );
  expect(code).toBe(1);
  expect(JSON.parse(await readFile(folder.file("results.json"), "utf8"))).toMatchObject({ state: "completed" });
});

test("a spent budget is exit 4, and what was done is kept", async () => {
  const interactions = Array.from({ length: 20 }, (_, index) => ({ id: String(index), user_message: `Turn ${index}` }));
  await using folder = await folderWith({ "long.json": JSON.stringify({ id: "long", interactions }) });
  await using provider = await startFakeProvider({ behaviour: after(200, text("Yes")) });
  const cwd = folder.path;
  const parameters = ["eval", "long.json", "--endpoint", provider.url, "-m", "m", "--max-seconds", "1"];
  const { code, stdout } = await runCli(parameters, { cwd });
  expect(code).toBe(4);
  expect(stdout).toContain("The budget was used up before all was done.");
  const { runs } = JSON.parse((await runCli(["list", "--json"], { cwd })).stdout);
  expect(runs[0].progress.interactions_done).toBeGreaterThan(0);
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

/** A service on the same store works through what waits there, a new run of its own included. Its agent is offered to repeat others. */
async function workElsewhere(store: string): Promise<void> {
  await using services = await runServices({ REHEARSAL_DATA_DIR: store });
  const { runs } = await (await fetch(`${services.evaluation}/runs`)).json();
  const again = await fetch(`${services.evaluation}/runs/${runs[0].run_id}/request`);
  expect(await again.json()).toMatchObject({ endpoint: services.agent, protocol: "agent" });
  const test_batch = { id: "own", interactions: [{ id: "1", user_message: "Hello" }] };
  await fetch(`${services.evaluation}/evaluate`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ test_batch, endpoint: `${services.agent}/demo/v1`, model_id: "demo/retrieval" }),
  });
}

test("an interrupted run against our own agent backend goes on where its agent is, and nowhere else", async () => {
  const scenarios = Array.from({ length: 60 }, (_, index) => ({
    id: `s${index}`,
    interactions: [{ id: "1", user_message: `What is ${index} * 3?` }],
  }));
  await using folder = await folderWith({ "all.jsonl": scenarios.map((one) => JSON.stringify(one)).join("\n") });
  const cwd = folder.path;
  let interrupted = false;
  const first = await runCli(["eval", "all.jsonl", "-m", "demo/scripted", "-j", "1", "--name", "interrupted"], {
    cwd,
    onStderr: (seen, kill) => {
      if (interrupted || !seen.includes(" turns")) return;
      interrupted = true;
      kill("SIGINT");
    },
  });
  expect(first.code).toBe(130);
  await workElsewhere(folder.file(".rehearsal"));
  const second = await runCli(["eval", "--resume", "interrupted", "--json"], { cwd });
  expect(second.code).toBe(0);
  expect(JSON.parse(second.stdout).runs[0]).toMatchObject({
    state: "completed",
    summary: { interactions: 60, failed: 0 },
  });
});

test("a killed command leaves a run that says that nobody carries it out, and how to go on", async () => {
  const scenarios = Array.from({ length: 60 }, (_, index) => ({
    id: `s${index}`,
    interactions: [{ id: "1", user_message: `What is ${index} * 3?` }],
  }));
  await using folder = await folderWith({ "all.jsonl": scenarios.map((one) => JSON.stringify(one)).join("\n") });
  const cwd = folder.path;
  const list = async () => JSON.parse((await runCli(["list", "--json"], { cwd })).stdout).runs[0];
  let atWork: Promise<unknown> | null = null;
  const killed = await runCli(["eval", "all.jsonl", "-m", "demo/scripted", "-j", "1"], {
    cwd,
    onStderr: (seen, kill) => {
      if (atWork || !seen.includes(" turns")) return;
      // Held still, so that it is surely not at its end when it is asked about and killed.
      kill("SIGSTOP");
      atWork = list().finally(() => kill("SIGKILL"));
    },
  });
  expect(killed.code).toBeNull();
  expect(await atWork).toMatchObject({ state: "running", interrupted: false });

  const run = await list();
  expect(run).toMatchObject({ state: "running", interrupted: true });
  expect(run.message).toContain(`\`rehearsal eval --resume ${run.run_id}\` goes on with it`);
  const listed = await runCli(["list"], { cwd });
  expect(listed.stdout).toMatch(/ interrupted /);
  expect(listed.stderr).toContain(`rehearsal eval --resume ${run.run_id}`);
  await workElsewhere(folder.file(".rehearsal"));
  const { runs } = JSON.parse((await runCli(["list", "--state", "running", "--json"], { cwd })).stdout);
  expect(runs).toEqual([run]);

  const resumed = await runCli(["eval", "--resume", run.run_id, "--json"], { cwd });
  expect(resumed.code).toBe(0);
  expect(JSON.parse(resumed.stdout).runs[0]).toMatchObject({
    state: "completed",
    summary: { interactions: 60, failed: 0 },
  });
});

test("works through a service, and gives the same results", async () => {
  await using folder = await folderWith({ "hello.json": hello });
  await using services = await runServices();
  await using provider = await startFakeProvider({ behaviour: text("Yes") });
  const cwd = folder.path;
  const server = ["--server", services.evaluation];
  const run = await runCli(["eval", "hello.json", ...server, "--endpoint", provider.url, "-m", "m", "--json"], { cwd });
  expect(run.code).toBe(0);
  const { run_id } = JSON.parse(run.stdout).runs[0];
  const list = await runCli(["list", ...server, "--json"], { cwd });
  expect(JSON.parse(list.stdout).runs).toMatchObject([{ run_id }]);
  const noEndpoint = await runCli(["eval", "hello.json", ...server, "-m", "m"], { cwd });
  expect(noEndpoint).toMatchObject({ code: 2, stderr: expect.stringContaining("--endpoint") });
});

test("a service that is not there is exit 3 and one line", async () => {
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

test("puts the models of one command beside each other, and ranks any runs that are named", async () => {
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
  const { code, stdout } = await runCli(evaluate, { cwd });
  expect(code).toBe(0);
  const [head, ...rows] = stdout.slice(stdout.indexOf("sure has the best overall")).trim().split("\n");
  expect(head).toMatch(/^sure has the best overall, 1\.000: 0\.\d+ more than half, the next \(p = 0\.0\d+\)\.$/);
  expect(rows.filter((row) => / (best|behind) /.test(row)).map((row) => row.split(" ")[0])).toEqual([
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
    runs: [{ model_id: "sure" }, {}, {}],
  });
  const markdown = await runCli(["compare", "latest", "latest~1", "latest~2", "--markdown"], { cwd });
  expect(markdown.stdout).toContain("| `sure` | 1.000 |");
  const refused = await runCli(["compare", "latest", "latest~1", "latest~2", "--fail-on-regression"], { cwd });
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("name two") });
  const twice = await runCli(["compare", "latest", "latest~1", "latest"], { cwd });
  expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining("is named twice") });
});

test("compares with a baseline run or file, and refuses what got worse", async () => {
  const scenarios = Array.from({ length: 8 }, (_, index) => ({
    id: `s${index}`,
    interactions: [{ id: "1", user_message: `Say yes ${index}`, reference_reply: "Yes, of course" }],
  }));
  await using folder = await folderWith({ "all.jsonl": scenarios.map((one) => JSON.stringify(one)).join("\n") });
  await using good = await startFakeProvider({ behaviour: text("Yes, of course") });
  await using bad = await startFakeProvider({ behaviour: text("Never") });
  const cwd = folder.path;
  const at = (url: string) => ["eval", "all.jsonl", "--endpoint", url, "-m", "m"];
  expect((await runCli([...at(good.url), "-o", "out/baseline.json"], { cwd })).code).toBe(0);

  const worse = await runCli([...at(bad.url), "--baseline", "out/baseline.json"], { cwd });
  expect(worse.code).toBe(1);
  expect(worse.stdout).toMatch(/✗ no regression in overall, success: failed\. overall is worse by 1\.000/);
  const same = await runCli([...at(good.url), "--baseline", "latest~1"], { cwd });
  expect(same.code).toBe(0);

  const compared = await runCli(["compare", "latest~1", "latest", "--json"], { cwd });
  expect(JSON.parse(compared.stdout)).toMatchObject({ comparable: true, verdict: "better" });
  const gate = await runCli(["compare", "latest", "latest~1", "--fail-on-regression"], { cwd });
  expect(gate.code).toBe(1);
  expect(gate.stdout).toContain("overall is worse by 1.000");
  expect(gate.stderr).toBe("");
  const itself = await runCli(["compare", "latest"], { cwd });
  expect(itself).toMatchObject({ code: 0, stderr: expect.stringContaining("Both are the same run") });
  const typo = await runCli(["compare", "latest", "latest~1", "--scores", "success,overal"], { cwd });
  expect(typo).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining('"overal" is not compared') });
  await writeFile(folder.file("rehearsal.yaml"), "baseline_scores: [overal]\n");
  const asked = good.requests.length;
  const unwatched = await runCli([...at(good.url), "--baseline", "latest"], { cwd });
  expect(unwatched).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "overall"?') });
  expect(good.requests).toHaveLength(asked);
});

test("a share may be given in per cent, and training data that is empty says so", async () => {
  await using folder = await folderWith({ "hello.json": hello });
  await using provider = await startFakeProvider({ behaviour: text("Nothing of the kind") });
  const cwd = folder.path;
  const target = ["hello.json", "--endpoint", provider.url, "-m", "m"];
  expect(await runCli(["eval", ...target, "--max-regression", "2%", "--max-errors", "1%"], { cwd })).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("--max-regression holds nothing back without --baseline") as string,
  });
  expect((await runCli(["eval", ...target, "--max-regression", "200%"], { cwd })).stderr).toContain(
    "such as 0.02 or 2%",
  );
  const empty = await runCli(["report", "-f", "sft"], { cwd });
  expect(empty).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("nothing for sft") });
});

test("writes the results in every format asked for", async () => {
  await using folder = await folderWith({ "hello.json": hello });
  await using provider = await startFakeProvider({ behaviour: text("<script>alert(1)</script>") });
  const names = ["r.json", "r.jsonl", "r.csv", "r.xml", "r.md", "r.html"];
  const outputs = names.flatMap((name) => ["-o", name]);
  const cwd = folder.path;
  const { code } = await runCli(["eval", "hello.json", "--endpoint", provider.url, "-m", "m", ...outputs], { cwd });
  expect(code).toBe(0);
  const content = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(folder.file(name), "utf8")] as const)),
  );
  expect(JSON.parse(content["r.json"] ?? "")).toMatchObject({ test_name: "hello" });
  expect(content["r.xml"]).toContain("<testsuites");
  expect(content["r.md"]).toContain("## hello");
  expect(content["r.html"]).toContain("\\u003cscript>alert(1)");
  expect(content["r.html"]).not.toContain("<script>alert(1)");
  const junit = await runCli(["report", "r.json", "-f", "junit"], { cwd });
  expect(junit.stdout).toBe(content["r.xml"]);
  const viewer = await runCli(["report", "r.json", "--html", "viewer", "--json"], { cwd });
  expect(JSON.parse(viewer.stdout)).toMatchObject({ written: ["viewer"], sent: [] });
  expect(await readFile(folder.file("viewer"), "utf8")).toContain("\\u003cscript>alert(1)");
});

test("a step summary that cannot be written is told, and the files that were asked for are written", async () => {
  await using folder = await folderWith({ "hello.json": hello });
  await using provider = await startFakeProvider({ behaviour: text("Yes") });
  const { code, stderr } = await runCli(["eval", "hello.json", "--endpoint", provider.url, "-m", "m", "-o", "r.md"], {
    cwd: folder.path,
    env: { CI: "true", GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: folder.file("not/there/summary.md") },
  });
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining("the step summary cannot be written: "),
  });
  expect(await readdir(folder.path)).toContain("r.md");
});

test("on GitHub it annotates and writes the step summary; reports for others say the same", async () => {
  const scenario = JSON.parse(hello) as { interactions: object[] };
  const interactions = scenario.interactions.map((turn) => ({
    ...turn,
    checks: [{ type: "contains", text: "please" }],
  }));
  await using folder = await folderWith({ "hello.json": JSON.stringify({ ...scenario, interactions }) });
  await using provider = await startFakeProvider({ behaviour: text("No\n::error::injected") });
  const { code, stderr } = await runCli(
    [
      "eval",
      "hello.json",
      "--endpoint",
      provider.url,
      "-m",
      "m",
      "--gate",
      "overall>=0.9",
      "-o",
      "r.md",
      "-o",
      "r.xml",
    ],
    { cwd: folder.path, env: { CI: "true", GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: folder.file("summary.md") } },
  );
  expect(code).toBe(1);
  expect(stderr).toMatch(/^::error title=overall>=0\.9::overall>=0\.9: is /m);
  expect(stderr).not.toMatch(/^::error::injected/m);
  expect(stderr).toMatch(/^::warning title=hello::overall .* contains: missing: please\. reply: /m);
  const summary = await readFile(folder.file("summary.md"), "utf8");
  expect(summary).toContain("## hello");
  expect(summary).toMatch(/^- ❌ `overall>=0\.9: is /m);
  expect(summary.trim()).toBe((await readFile(folder.file("r.md"), "utf8")).trim());
  expect(await readFile(folder.file("r.xml"), "utf8")).toContain('<testcase name="overall&gt;=0.9"');
});

test("with several models, annotations and cases of JUnit say of which one they are", async () => {
  await using provider = await startFakeProvider({ behaviour: text("No") });
  await using folder = await folderWith({ "hello.json": hello });
  const models = ["-m", "quick", "-m", "slow"];
  const { stderr } = await runCli(
    ["eval", "hello.json", "--endpoint", provider.url, ...models, "--gate", "overall>=0.9", "-o", "junit.xml"],
    { cwd: folder.path, env: { CI: "true", GITHUB_ACTIONS: "true" } },
  );
  for (const model of ["quick", "slow"]) {
    expect(stderr).toContain(`::warning title=hello on ${model}::`);
    expect(stderr).toContain(`::error title=overall>=0.9 on ${model}::`);
  }
  const second = await readFile(folder.file("junit-2.xml"), "utf8");
  expect(second).toContain('<testsuite name="hello on slow"');
  expect(second).toContain('<testcase name="hello" classname="hello on slow"');
  expect(second).toContain('classname="hello on slow.gates"');
});

test("a whole evaluation request says how it is run", async () => {
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

test("a byte order mark is no part of a prompt, nor of results that are read again", async () => {
  await using folder = await folderWith({ "hello.json": hello, "prompt.txt": "\uFEFFBe brief." });
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

test("the gate and the replay of a request are carried out, unless a gate is typed", async () => {
  await using provider = await startFakeProvider({ behaviour: text("Nothing of the kind") });
  const request = {
    test_batch: JSON.parse(hello),
    endpoint: provider.url,
    model_id: "m",
    gate: { scores: { success: 1 }, scenario_scores: { overall: 0.9 } },
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

test("rescoring calls nothing, keys for others do not lock this process out, and the plan says what it takes", async () => {
  await using folder = await folderWith({ "hello.json": hello });
  await using provider = await startFakeProvider({ behaviour: text("Yes") });
  const cwd = folder.path;
  const parameters = ["eval", "hello.json", "--endpoint", provider.url, "-m", "m"];
  await runCli(["keys", "create", "somebody"], { cwd });
  expect((await runCli(parameters, { cwd })).code).toBe(0);
  const rescored = await runCli(["rescore", "latest"], { cwd });
  expect(rescored).toMatchObject({ code: 0, stdout: expect.stringContaining("overall 1.000 → 1.000") });
  const plan = JSON.parse((await runCli([...parameters, "--dry-run", "--json"], { cwd })).stdout);
  expect(plan.runs[0].estimate).toMatchObject({ model_calls: { expected: 1 } });
  expect(provider.requests).toHaveLength(1);
});

test("a run is scored by what the configuration and its scenarios say now", async () => {
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
  const rescored = await runCli(["rescore", "--config", "rehearsal.json", "--json"], { cwd: folder.path });
  expect(rescored.code).toBe(0);
  expect(JSON.parse(rescored.stdout).summary).toMatchObject({
    average_scores: { success: 1, exact_match: 1, contains: 0, overall: 0.5 },
    rescored: { replaced: ["scorers", "threshold", "test_batch"] },
  });
  await configure({ endpoint: provider.url, judge: { endpoint: provider.url, model_id: "judge" } });
  const unasked = await runCli(["rescore", "-c", "rehearsal.json"], { cwd: folder.path });
  expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining("/ask_models must be true") });
  expect(provider.requests).toHaveLength(1);

  provider.setModelBehaviour("judge", text('{"reason":"half of it","verdict":"partial"}'));
  const asked = await runCli(["rescore", "-c", "rehearsal.json", "--ask-models", "--json"], { cwd: folder.path });
  expect(asked.code).toBe(0);
  expect(JSON.parse(asked.stdout).summary.average_scores).toMatchObject({ judge_correctness: 0.5 });
  expect(provider.requests).toHaveLength(2);
});

test("Ctrl-C while a judge is asked again says what to do, and is no mistake of ours", async () => {
  const asked = Promise.withResolvers<void>();
  await using provider = await startFakeProvider({ behaviour: text("Yes") });
  const config = {
    scenarios: "hello.json",
    model: "m",
    endpoint: provider.url,
    judge: { endpoint: provider.url, model_id: "judge" },
  };
  await using folder = await folderWith({ "hello.json": hello, "rehearsal.json": JSON.stringify(config) });
  const { judge: _, ...without } = config;
  await writeFile(folder.file("first.json"), JSON.stringify(without));
  expect((await runCli(["eval", "-c", "first.json"], { cwd: folder.path })).code).toBe(0);
  provider.setModelBehaviour("judge", (call) => {
    asked.resolve();
    return hang(call);
  });
  const parameters = ["rescore", "-c", "rehearsal.json", "--ask-models"];
  const { code, stderr } = await runCli(parameters, { cwd: folder.path, interruptAt: asked.promise });
  expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringContaining("the same again completes it") });
  const shown = JSON.parse((await runCli(["show", "--json"], { cwd: folder.path })).stdout);
  expect(shown.summary.rescored).toMatchObject({ replaced: ["judge"], partial: true });
});

test("below the folder of a configuration it is named, not used", async () => {
  await using folder = await folderWith({ "rehearsal.json": JSON.stringify({ scenarios: "hello.json", model: "m" }) });
  await mkdir(folder.file("deep/er"), { recursive: true });
  const { code, stderr } = await runCli(["eval"], { cwd: folder.file("deep/er") });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("--config ../../rehearsal.json\n") });
});

test("a dry run names our own agent, estimates without a store and leaves none", async () => {
  await using folder = await folderWith({ "hello.json": hello });
  const parameters = ["eval", "hello.json", "-m", "demo/scripted", "-a", "150", "--dry-run"];
  const { code, stdout } = await runCli(parameters, { cwd: folder.path });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^hello on demo\/scripted at Rehearsal's own agent: .* = 150 calls\n {2}150 calls, .*\n$/);
  expect(await readdir(folder.path)).toEqual(["hello.json"]);
  const asJson = await runCli([...parameters, "--json"], { cwd: folder.path });
  expect(JSON.parse(asJson.stdout).runs).toMatchObject([{ endpoint: "agent", estimate: {} }]);
});

test.each([
  ["scorers", { scorers: ["token_f2"] }, /"token_f2" is no scorer here; did you mean "token_f1"\?/],
  ["a judge", { judge: { endpoint: "http://127.0.0.1:9/v1" } }, /\/judge\/model_id is required/],
  ["an address with a password", { endpoint: "http://me:secret@127.0.0.1:9/v1" }, /must not hold user info/],
  ["an address nobody may call", { endpoint: "http://169.254.169.254/v1" }, /are never called/],
])("%s: what a run is refused for, a dry run is refused for too", async (_name, setting, message) => {
  const config = JSON.stringify({ scenarios: "hello.json", model: "demo/scripted", ...setting });
  await using folder = await folderWith({ "hello.json": hello, "rehearsal.json": config });
  const { code, stdout, stderr } = await runCli(["eval", "--dry-run"], { cwd: folder.path });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(message);
});

test("a dry run counts the calls of a judge beside those of the model, and all of them in all", async () => {
  const judge = { endpoint: "http://127.0.0.1:9/v1", model_id: "judge" };
  const config = JSON.stringify({ scenarios: "hello.json", model: ["a", "b"], endpoint: judge.endpoint, judge });
  await using folder = await folderWith({ "hello.json": hello, "rehearsal.json": config });
  const { code, stdout } = await runCli(["eval", "--dry-run"], { cwd: folder.path });
  expect(code).toBe(0);
  expect(stdout.match(/1 attempt = 1 call and 1 of judge or labeller\n {2}2 calls, /g)).toHaveLength(2);
  expect(stdout).toMatch(/^4 calls in all$/m);
});

test("a dry run of as many attempts as it takes says from how many calls to how many", async () => {
  const attempts = { min: 2, max: 5, ci_width: 0.1 };
  const config = JSON.stringify({ scenarios: "hello.json", model: "m", endpoint: "http://127.0.0.1:9/v1", attempts });
  await using folder = await folderWith({ "hello.json": hello, "rehearsal.json": config });
  const { stdout } = await runCli(["eval", "--dry-run"], { cwd: folder.path });
  expect(stdout).toMatch(/: 1 scenario, 1 turn, up to 5 attempts = 2 to 5 calls\n {2}2 to 5 calls, /);
});

test("a model our own agent does not serve is refused by a dry run too", async () => {
  await using folder = await folderWith({ "hello.json": hello });
  const parameters = ["eval", "hello.json", "-m", "demo/scripted", "-m", "demo/retreival", "--dry-run"];
  const { code, stdout, stderr } = await runCli(parameters, { cwd: folder.path });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(
    'there is no model "demo/retreival": did you mean demo/retrieval? (rehearsal models lists them)',
  );
});

test.each([
  ["no scenarios", ["eval"], /which scenarios\?/],
  ["no model", ["eval", "hello.json"], /which model\?/],
  [
    "a misspelt model of our own agent",
    ["eval", "hello.json", "-m", "demo/scripted", "-m", "demo/retreival"],
    /there is no model "demo\/retreival": did you mean demo\/retrieval\? \(rehearsal models lists them\)/,
  ],
  [
    "a model of a provider that is not set up",
    ["eval", "hello.json", "-m", "openai/gpt-4o"],
    /there is no model "openai\/gpt-4o" \(rehearsal models lists them; HUB_BASE_URL or HUB_PROVIDERS adds others, --endpoint tests one at another address\)/,
  ],
  ["a missing file", ["eval", "nope.json", "-m", "m"], /nope\.json does not exist/],
  [
    "a broken scenario",
    ["eval", "broken.json", "-m", "m"],
    /broken\.json:1 \/interactions\/0: the interaction has no user_message/,
  ],
  [
    "a misspelt field",
    ["eval", "misspelt.json", "-m", "m"],
    /misspelt\.json:1 \/interactions\/0: unknown fields: user_mesage \(did you mean user_message\?\)/,
  ],
  ["a picture", ["eval", "picture.png", "-m", "m"], /picture\.png: this is a binary file, not text/],
  ["bad JSON", ["eval", "bad.json", "-m", "m"], /bad\.json: line 1/],
  [
    "the same id twice",
    ["eval", "hello.json", "again.json", "-m", "m"],
    /"hello" is in hello\.json and in again\.json/,
  ],
  [
    "an impossible gate",
    ["eval", "hello.json", "-m", "m", "--gate", "pass^3>=0.9"],
    /needs at least 3 attempts; there are 1/,
  ],
  ["a gate nobody understands", ["eval", "hello.json", "-m", "m", "--gate", "good"], /the gate "good" cannot be read/],
  ["a filter that fits nothing", ["eval", "hello.json", "-m", "m", "--filter", "tag:x"], /none of 1 scenarios fits/],
  ["no address", ["eval", "hello.json", "-m", "m", "--endpoint", "agnet"], /the endpoint is "agnet": give an address/],
  [
    "JUnit of several models on stdout",
    ["eval", "hello.json", "-m", "m", "-m", "n", "--reporter", "junit"],
    /junit prints one run, and there are 2 models: -o junit\.xml writes a file for each/,
  ],
  [
    "a dry run of a run that goes on",
    ["eval", "--resume", "latest", "--dry-run"],
    /--resume and --dry-run: which one\?/,
  ],
  ["a watch that goes on", ["watch", "--resume", "latest"], /a run goes on with rehearsal eval --resume latest/],
  ["an unknown ending", ["eval", "hello.json", "-m", "m", "-o", "x.pdf"], /x\.pdf: which format/],
  ["a file inside a file", ["eval", "hello.json", "-m", "m", "-o", "again.json/x.json"], /x\.json cannot be written/],
  [
    "a folder as a file",
    ["eval", "hello.json", "-m", "m", "-o", "folder.json"],
    /folder\.json cannot be written: it is/,
  ],
  ["two documents on stdout", ["eval", "hello.json", "-m", "m", "--reporter", "junit,markdown"], /junit and markdown/],
])("%s is exit 2 before anything is called", async (_name, parameters, message) => {
  const broken = JSON.stringify({ id: "broken", interactions: [{ id: "1" }] });
  await using folder = await folderWith({
    "hello.json": hello,
    "again.json": hello,
    "broken.json": broken,
    "misspelt.json": JSON.stringify({ id: "misspelt", interactions: [{ id: "1", user_mesage: "Hi" }] }),
    "bad.json": "{",
    "picture.png": "\u0089PNG\r\n\u001A\n\0\0\0\rIHDR",
  });
  await mkdir(folder.file("folder.json"));
  const { code, stderr } = await runCli(parameters, { cwd: folder.path });
  expect(stderr).toMatch(message);
  expect(code).toBe(2);
});
