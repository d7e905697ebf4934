import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { Run } from "../../src/contract/schemas/run.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { after, type Behaviour } from "../support/fake-provider/behaviour.ts";
import { contextTooLong } from "../support/fake-provider/error-statuses.ts";
import { text } from "../support/fake-provider/replies.ts";
import { checkedHello, folderWith, goodbye, hello } from "./eval-files.ts";
import { runCli } from "./run-cli.ts";
import { reportDataIn } from "../support/report-data.ts";

test("eval exits with 1 when a gate fails", async () => {
  await using folder = await folderWith({ "hello.json": hello });
  await using provider = await startFakeProvider({ behaviour: text("Maybe") });
  const { code, stdout } = await runCli(
    ["eval", "hello.json", "--endpoint", provider.url, "-m", "m", "--gate", "overall>=0.9", "--gate", "success>=1"],
    { cwd: folder.path },
  );
  expect(code).toBe(1);
  expect(stdout).toMatch(/✗ overall>=0\.9: is 0(\.\d+)?, failed/);
  expect(stdout).toContain("✓ success>=1: is 1, passed");
});

/** A model that answers each question with this word. `expected` is what its scenario asks for. */
const says = (id: string, said: string, expected?: string) => ({
  id,
  interactions: [{ id: "1", user_message: `Say ${said}` }],
  ...(expected !== undefined && { expect: { said: [expected] } }),
});
const echo: Behaviour = (call) => text(/Say (\w+)/.exec(call.request.text)?.[1] ?? "")(call);

test.each([
  ["all pass", [says("a", "yes", "yes"), says("b", "no", "no")], 0, "✓ every scenario passes: 2 of 2 do, passed."],
  [
    "one fails",
    [says("a", "yes", "yes"), says("b", "no", "yes")],
    1,
    "✗ every scenario passes: 1 of 2 do, failed. Did not pass: b.",
  ],
  [
    "one says nothing",
    [says("a", "yes", "yes"), says("b", "no")],
    0,
    "Not scored, without an expectation: 1 scenario.",
  ],
  [
    "none says anything",
    [says("a", "yes"), says("b", "no")],
    6,
    "? every scenario passes: UNDECIDED, counted as failed.",
  ],
])("without a gate, when %s, the scenarios decide", async (_name, scenarios, code, message) => {
  await using folder = await folderWith({ "all.json": JSON.stringify(scenarios) });
  await using provider = await startFakeProvider({ behaviour: echo });
  const parameters = ["eval", "all.json", "--endpoint", provider.url, "-m", "m"];
  const cwd = folder.path;
  const found = await runCli([...parameters, "-o", "junit.xml", "-o", "r.json"], { cwd });
  expect(found).toMatchObject({ code, stdout: expect.stringContaining(message) });
  const [line = ""] = /every scenario passes: .*/.exec(found.stdout) ?? [];
  const junit = await readFile(folder.file("junit.xml"), "utf8");
  expect(junit.includes(`<failure message="${line}"`)).toBe(code !== 0);
  expect(JSON.parse(await readFile(folder.file("r.json"), "utf8"))).toMatchObject({
    gates: [{ message: line }],
    exit_code: code,
  });
  expect(await runCli([...parameters, "--gate", "success>=1"], { cwd })).toMatchObject({ code: 0 });
  const looked = await runCli([...parameters, "--no-gate"], { cwd });
  expect(looked).toMatchObject({ code: 0, stdout: expect.not.stringContaining("every scenario passes") });
});

test("--no-gate only looks: configured gates and a baseline do not count, an unusable target does", async () => {
  await using folder = await folderWith({ "a.json": JSON.stringify(says("a", "no", "yes")) });
  await writeFile(folder.file("rehearsal.yaml"), "scenarios: a.json\ngates: [outcome>=1]\n");
  await using provider = await startFakeProvider({ behaviour: echo });
  const cwd = folder.path;
  const at = (url: string, ...more: string[]) => runCli(["eval", "--endpoint", url, "-m", "m", ...more], { cwd });
  expect((await at(provider.url, "-o", "first.json")).code).toBe(1);
  const looked = await at(provider.url, "--no-gate", "--baseline", "first.json", "--not-worse-by", "0.01");
  expect(looked).toMatchObject({ code: 0, stdout: expect.stringContaining("Compared with the baseline") });
  expect((await at("http://127.0.0.1:9/v1", "--no-gate")).code).toBe(3);
});

test("a gate on an unknown score is refused before a model is called", async () => {
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
  // It is built in, and not among the scores of a run that names none.
  expect(await gate("edit_similarity>=0")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("a place in scorers"),
  });
  expect(await gate("semantic_similarity>=0.1")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("needs a reference reply and an embedder"),
  });
  expect(await gate("replied>=1")).toMatchObject({ code: 2, stderr: expect.stringContaining('called "success" here') });
  expect(provider.requests).toEqual([]);
});

test("a gate may name a scorer of the operator's own", async () => {
  await using folder = await folderWith({
    "hello.json": hello,
    "scorers.mjs": "export const tone = ({ reply }) => (reply === 'Yes' ? 1 : 0);",
  });
  await using provider = await startFakeProvider({ behaviour: text("Yes") });
  const run = (...more: string[]) =>
    runCli(["eval", "hello.json", "--endpoint", provider.url, "-m", "m", ...more], {
      cwd: folder.path,
      env: { REHEARSAL_SCORERS_MODULE: "scorers.mjs" },
    });
  expect(await run("--gate", "tone>=1")).toMatchObject({ code: 0, stdout: expect.stringContaining("✓ tone>=1: is 1") });
  const typo = await run("--gate", "tonne>=1");
  expect(typo).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "tone"?') });
});

test("eval exits with 3 when the target does not answer, whatever the gates say", async () => {
  await using folder = await folderWith({ "hello.json": hello });
  const { code, stdout } = await runCli(
    ["eval", "hello.json", "--endpoint", "http://127.0.0.1:9/v1", "-m", "m", "--gate", "overall>=0.1"],
    { cwd: folder.path },
  );
  expect(code).toBe(3);
  expect(stdout).toContain("The target cannot be used: 1 of 1 turn got no reply.");
});

test("in CI one missing reply fails the run, unless --max-errors allows it", async () => {
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
  const relaxed = await runCli([...parameters, "--max-errors", "0.5", "--no-gate"], {
    cwd: folder.path,
    env: { CI: "true" },
  });
  expect(relaxed.code).toBe(0);
});

test("eval exits with 4 when the budget is used up, and keeps the finished turns", async () => {
  const interactions = Array.from({ length: 20 }, (_, index) => ({ id: String(index), user_message: `Turn ${index}` }));
  await using folder = await folderWith({ "long.json": JSON.stringify({ id: "long", interactions }) });
  await using provider = await startFakeProvider({ behaviour: after(200, text("Yes")) });
  const cwd = folder.path;
  const parameters = ["eval", "long.json", "--endpoint", provider.url, "-m", "m", "--max-seconds", "1"];
  const { code, stdout } = await runCli(parameters, { cwd });
  expect(code).toBe(4);
  expect(stdout).toContain("Evaluation stopped by budget, ");
  const { runs } = JSON.parse((await runCli(["runs", "list", "--json"], { cwd })).stdout);
  expect(runs[0].progress.interactions_done).toBeGreaterThan(0);
});

test("eval and compare fail on a regression against a baseline run or file", async () => {
  const scenarios = Array.from({ length: 8 }, (_, index) => ({
    id: `s${index}`,
    interactions: [{ id: "1", user_message: `Say yes ${index}`, checks: [{ type: "contains", text: "Yes" }] }],
  }));
  await using folder = await folderWith({ "all.jsonl": scenarios.map((one) => JSON.stringify(one)).join("\n") });
  await using good = await startFakeProvider({ behaviour: text("Yes, of course") });
  await using bad = await startFakeProvider({ behaviour: text("Never") });
  const cwd = folder.path;
  const at = (url: string) => ["eval", "all.jsonl", "--endpoint", url, "-m", "m"];
  expect((await runCli([...at(good.url), "-o", "out/baseline.json"], { cwd })).code).toBe(0);

  const worse = await runCli([...at(bad.url), "--baseline", "out/baseline.json"], { cwd });
  expect(worse.code).toBe(1);
  expect(worse.stdout).toMatch(/✗ no regression in overall, replied: failed\. overall is worse by 1\.000/);
  const same = await runCli([...at(good.url), "--baseline", "latest~1"], { cwd });
  expect(same.code).toBe(0);

  const compared = await runCli(["compare", "latest~1", "latest", "--json"], { cwd });
  expect(JSON.parse(compared.stdout)).toMatchObject({ comparable: true, verdict: "better" });
  const gate = await runCli(["compare", "latest", "latest~1", "--fail-on-regression"], { cwd });
  expect(gate.code).toBe(1);
  expect(gate.stdout).toContain("overall is worse by 1.000");
  expect(gate.stderr).toBe("");
  const itself = await runCli(["compare", "latest", "--max-regression", "2%"], { cwd });
  expect(itself.stderr).toContain("--scores and --max-regression have no effect without --fail-on-regression.");
  expect(itself).toMatchObject({ code: 0, stderr: expect.stringContaining("Both are the same run") });
  const typo = await runCli(["compare", "latest", "latest~1", "--scores", "success,overal"], { cwd });
  expect(typo).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining('"overal" is not compared') });
  await writeFile(folder.file("rehearsal.yaml"), "baseline_scores: [overal]\n");
  const asked = good.requests.length;
  const unwatched = await runCli([...at(good.url), "--baseline", "latest"], { cwd });
  expect(unwatched).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "overall"?') });
  expect(good.requests).toHaveLength(asked);
});

test("a drop in similarity to the references alone is undecided, and passes only if undecided may pass", async () => {
  const scenarios = Array.from({ length: 8 }, (_, index) => ({
    id: `s${index}`,
    interactions: [{ id: "1", user_message: `Say yes ${index}`, reference_reply: "Yes, of course" }],
  }));
  await using folder = await folderWith({ "all.jsonl": scenarios.map((one) => JSON.stringify(one)).join("\n") });
  await using alike = await startFakeProvider({ behaviour: text("Yes, of course") });
  await using other = await startFakeProvider({ behaviour: text("Gladly") });
  const cwd = folder.path;
  const at = (url: string, ...more: string[]) =>
    runCli(["eval", "all.jsonl", "--endpoint", url, "-m", "m", ...more], { cwd });
  const first = await at(alike.url, "-o", "first.json");
  expect(first.stdout).toContain("0 scenarios judged (8 similar 1.000, not judged)");
  expect(first.stdout).toMatch(
    /8 scenarios of 8 not judged\. .* add checks .* runs rescore \S+ --ask-models --config rehearsal\.yaml\n/,
  );
  const further = await at(other.url, "--baseline", "first.json");
  expect(further).toMatchObject({ code: 6, stdout: expect.stringContaining("less close to the references by 1.000") });
  expect(further.stdout).not.toMatch(/\b(better|worse)\b/);
  expect((await at(other.url, "--baseline", "first.json", "--undecided", "pass")).code).toBe(0);
});

test("a margin has three outcomes with three exit codes, and says before the first call when it cannot pass", async () => {
  const scenarios = Array.from({ length: 30 }, (_, index) => ({
    id: `s${index}`,
    interactions: [{ id: "1", user_message: `Say yes ${index}`, reference_reply: "Yes, of course" }],
  }));
  await using folder = await folderWith({ "all.jsonl": scenarios.map((one) => JSON.stringify(one)).join("\n") });
  await using good = await startFakeProvider({ behaviour: text("Yes, of course") });
  await using bad = await startFakeProvider({ behaviour: text("Never") });
  const cwd = folder.path;
  const at = (url: string, ...more: string[]) =>
    runCli(["eval", "all.jsonl", "--endpoint", url, "-m", "m", "--baseline", "first.json", ...more], { cwd });
  await runCli(["eval", "all.jsonl", "--endpoint", good.url, "-m", "m", "-o", "first.json"], { cwd });

  const shown = await at(good.url, "--not-worse-by", "0.1");
  expect(shown).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("✓ not worse by 0.1: passed. overall (closeness to the references) is shown"),
  });
  const worse = await at(bad.url, "--not-worse-by", "0.1");
  expect(worse).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("✗ not worse by 0.1: failed. overall (closeness to the references) is worse"),
  });
  const open = await at(good.url, "--not-worse-by", "2%");
  expect(open.code).toBe(6);
  expect(open.stderr).toContain(
    "--not-worse-by cannot be shown for overall with 30 scenarios, however good the replies are: not worse by 0.02 takes at least 149.",
  );
  expect(open.stdout).toContain("? not worse by 0.02: UNDECIDED, counted as failed.");
  expect(open.stdout).toMatch(
    /add about 119 scenarios \(149 in all\) and run both again:\n.* eval all\.jsonl .*--model m\n/,
  );
  const accepted = await at(good.url, "--not-worse-by", "0.02", "--undecided", "pass");
  expect(accepted).toMatchObject({ code: 0, stdout: expect.stringContaining("UNDECIDED, counted as passed.") });
  const plain = await at(good.url, "--undecided", "fail");
  expect(plain).toMatchObject({
    code: 6,
    stdout: expect.stringContaining("? no regression in overall, replied: UNDECIDED"),
  });
  const compared = await runCli(["compare", "first.json", "latest", "--not-worse-by", "0.1", "--json"], { cwd });
  expect(JSON.parse(compared.stdout)).toMatchObject({ not_worse: { verdict: "not_worse", next: null } });
  const unreadable = await at(good.url, "--not-worse-by", "a lot");
  expect(unreadable).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--not-worse-by: "a lot" cannot be read'),
  });
});

test("outcomes of conversations can be gated and compared with a margin", async () => {
  const scenarios = Array.from({ length: 30 }, (_, index) => ({
    id: `s${index}`,
    interactions: [{ id: "1", user_message: `Say yes ${index}` }],
    expect: { said: ["yes"] },
  }));
  await using folder = await folderWith({ "all.json": JSON.stringify(scenarios) });
  await using provider = await startFakeProvider({ behaviour: text("Yes") });
  const target = ["eval", "all.json", "--endpoint", provider.url, "-m", "m"];
  const run = (...more: string[]) => runCli([...target, ...more], { cwd: folder.path });
  expect((await run("--gate", "outcome>=1")).code).toBe(0);
  const compared = await run("--baseline", "latest", "--not-worse-by", "outcome=0.1,pass_rate=0.1");
  expect(compared).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("All 2 measures are shown not to be worse"),
  });
});

test("shares may be given in per cent, and options without an effect are reported", async () => {
  await using folder = await folderWith({ "hello.json": hello });
  await using provider = await startFakeProvider({ behaviour: text("Nothing of the kind") });
  const cwd = folder.path;
  const target = ["hello.json", "--endpoint", provider.url, "-m", "m"];
  const idle = ["--max-regression", "2%", "--seed", "7", "--priority", "5"];
  const { code, stderr } = await runCli(["eval", ...target, "--max-errors", "1%", "--no-gate", ...idle], { cwd });
  expect(code).toBe(0);
  expect(stderr).toContain("--max-regression has no effect without --baseline");
  expect(stderr).toContain("--seed has no effect without --sample");
  expect(stderr).toContain("--priority has no effect without --server");
  expect((await runCli(["eval", ...target, "--max-regression", "200%"], { cwd })).stderr).toContain(
    "such as 0.02 or 2%",
  );
  const empty = await runCli(["runs", "export", "-f", "sft"], { cwd });
  expect(empty).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("The sft export is empty") });
});

test("a limit of money needs a price, and names the model and the place to give one", async () => {
  await using folder = await folderWith({ "hello.json": checkedHello });
  await using provider = await startFakeProvider({ behaviour: text("Yes") });
  const cwd = folder.path;
  const parameters = ["eval", "hello.json", "--endpoint", provider.url, "-m", "mine-1", "--max-cost", "1"];
  for (const more of [[], ["--dry-run"]]) {
    const refused = await runCli([...parameters, ...more], { cwd });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/"mine-1"[\s\S]*prices: \{ "mine-1"/)]);
  }
  expect(provider.requests).toHaveLength(0);
  const prices = { "mine-1": { input: 1, output: 2 } };
  await writeFile(folder.file("rehearsal.json"), JSON.stringify({ prices }));
  const priced = await runCli([...parameters, "--json"], { cwd });
  expect(priced.code).toBe(0);
  expect(JSON.parse(priced.stdout).runs[0].summary.cost.total).toBeGreaterThan(0);
});

test("every output names the same causes, gates and exit code", async () => {
  const tool = { name: "look", parameters: { type: "object" }, answers: [{ result: 1 }] };
  const scenario = {
    id: "act",
    world: { tools: [tool] },
    interactions: [{ id: "1", user_message: "Look", reference_tool_calls: [{ name: "look" }] }],
    expect: { must_call: ["look"] },
  };
  await using folder = await folderWith({ "act.json": JSON.stringify(scenario) });
  await using provider = await startFakeProvider({ behaviour: text("I did not look") });
  const files = ["results.json", "report.html", "junit.xml", "report.md"].flatMap((file) => ["-o", file]);
  const parameters = ["eval", "act.json", "--endpoint", provider.url, "-m", "m", "--gate", "outcome>=1", ...files];
  const { code, stdout } = await runCli(parameters, { cwd: folder.path });
  const causes = ["tool_match: not called: look", "outcome.must_call: look was not called"];
  const gate = "outcome>=1: is 0, failed";
  const read = (name: string) => readFile(folder.file(name), "utf8");
  const results = JSON.parse(await read("results.json"));
  expect(code).toBe(1);
  expect(results).toMatchObject({ exit_code: 1, gates: [{ passed: false, message: gate }] });
  expect(results.results.scenarios[0]).toMatchObject({ verdict: "failed", failed_because: causes });
  for (const text of [stdout, await read("junit.xml"), await read("report.md")]) {
    for (const cause of [...causes, gate]) expect(text.replaceAll("&gt;", ">")).toContain(cause);
  }
  expect(reportDataIn(await read("report.html"))).toContain(
    `"judged":{"judgements":[{"name":"outcome>=1","outcome":"failed"`,
  );
  const shown = await runCli(["runs", "show", "--scenario", "act"], { cwd: folder.path });
  expect(shown.stdout).toContain("expected   look(…)\n  called     nothing");
  expect(shown.stdout).toContain("outcome    ✗ must_call: look was not called");
});

test("--until-decided compares two models, a stored run or a threshold, and stops when it is decided", async () => {
  const scenarios = Array.from({ length: 60 }, (_, index) => ({
    id: `s${index}`,
    interactions: [
      {
        id: "1",
        user_message: `Say yes ${index}`,
        reference_reply: "Yes, of course",
        checks: [{ type: "contains", text: "Yes" }],
      },
    ],
  }));
  await using folder = await folderWith({ "all.jsonl": scenarios.map((one) => JSON.stringify(one)).join("\n") });
  await using provider = await startFakeProvider({
    behaviour: (call) => text(call.request.body?.["model"] === "new" ? "Yes, of course" : "Never")(call),
  });
  const cwd = folder.path;
  const at = (...more: string[]) => runCli(["eval", "all.jsonl", "--endpoint", provider.url, ...more], { cwd });

  const better = await at("--models", "old,new", "--until-decided", "--json");
  expect(better.code).toBe(0);
  const [run] = (JSON.parse(better.stdout) as { runs: { summary: object; run_id: string }[] }).runs;
  const { summary, run_id } = run ?? { summary: {}, run_id: "" };
  expect(summary).toMatchObject({ stopped_by: "decided", decision: { verdict: "better", stopped_by: "decided" } });
  expect(provider.requests.length).toBeLessThan(80);
  const { runs } = JSON.parse((await runCli(["runs", "list", "--json"], { cwd })).stdout) as { runs: Run[] };
  const opponent = runs.find(({ sequence }) => sequence?.side === "baseline")?.run_id ?? "";
  expect(await at("--resume", opponent)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("✓ overall decided: passed. Decided after"),
  });
  const worse = await at("-m", "new", "-m", "old", "--until-decided");
  expect(worse).toMatchObject({ code: 1, stdout: expect.stringContaining("✗ overall decided: failed. Decided after") });

  const safe = await at("-m", "new", "--baseline", run_id, "--not-worse-by", "0.5", "--until-decided");
  expect(safe).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("✓ overall not worse by 0.5: passed. Decided"),
  });
  const open = await at("-m", "new", "--gate", "exact_match>=0.999", "--until-decided");
  expect(open).toMatchObject({ code: 6, stdout: expect.stringContaining("? exact_match decided: UNDECIDED") });
  const above = await at("-m", "new", "--gate", "overall>=0.5", "--until-decided", "--dry-run");
  expect(above.stdout).toContain("60 turns, until decided = 6 to 60 calls");
  const alone = await at("-m", "new", "--until-decided");
  expect(alone).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--until-decided needs something to compare"),
  });
});

test("what nothing can pass or fail is said before the first call, and does not pass", async () => {
  const turn = { id: "1", user_message: "Say yes" };
  const rubric = { type: "rubric", text: "Is it kind?" };
  const scenarios = [
    { id: "silent", interactions: [turn] },
    { id: "turn", interactions: [{ ...turn, checks: [{ type: "contains", text: "yes" }, rubric] }] },
    { id: "whole", interactions: [turn], expect: { rubric: "Is it kind?" } },
  ];
  await using folder = await folderWith({ "all.json": JSON.stringify(scenarios) });
  await using provider = await startFakeProvider({ behaviour: text("yes") });
  const said = [
    '/test_batch has 1 scenario that expects nothing ("silent")',
    "/judge is not set, so the rubrics of 1 turn have no score",
    "/judge is not set, so the expected outcome of 1 scenario with a rubric stays undecided",
  ];
  const checked = await runCli(["validate", "all.json"], { cwd: folder.path });
  expect(checked.code).toBe(0);
  const run = await runCli(["eval", "all.json", "--endpoint", provider.url, "-m", "m"], { cwd: folder.path });
  for (const warning of said) {
    expect(checked.stderr).toContain(`warning: ${warning}`);
    expect(run.stderr).toContain(warning);
    expect(run.stderr.indexOf(warning)).toBeLessThan(run.stderr.indexOf("1/3 turns"));
  }
  expect(run).toMatchObject({ code: 6, stdout: expect.stringContaining("Without a verdict: turn, whole.") });
});
