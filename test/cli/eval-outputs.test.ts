import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { text } from "../support/fake-provider/replies.ts";
import { checkedHello, folderWith, hello } from "./eval-files.ts";
import { runCli } from "./run-cli.ts";
import { reportDataIn } from "../support/report-data.ts";

test("writes the results in every format asked for", async () => {
  await using folder = await folderWith({ "hello.json": hello });
  await using provider = await startFakeProvider({ behaviour: text("<script>alert(1)</script>") });
  const names = ["r.json", "r.jsonl", "r.csv", "r.xml", "r.md", "r.html"];
  const outputs = names.flatMap((name) => ["-o", name]);
  const cwd = folder.path;
  const { code } = await runCli(
    ["eval", "hello.json", "--endpoint", provider.url, "-m", "m", "--no-gate", ...outputs],
    {
      cwd,
    },
  );
  expect(code).toBe(0);
  const content = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(folder.file(name), "utf8")] as const)),
  );
  expect(JSON.parse(content["r.json"] ?? "")).toMatchObject({ test_name: "hello" });
  expect(content["r.xml"]).toContain("<testsuites");
  expect(content["r.md"]).toContain("## hello");
  expect(reportDataIn(content["r.html"] ?? "")).toContain("<script>alert(1)");
  expect(content["r.html"]).not.toContain("<script>alert(1)");
  const junit = await runCli(["runs", "export", "r.json", "-f", "junit"], { cwd });
  expect(junit.stdout).toBe(content["r.xml"]);
  const viewer = await runCli(["runs", "export", "r.json", "--html", "viewer", "--json"], { cwd });
  expect(JSON.parse(viewer.stdout)).toMatchObject({ written: ["viewer"], sent: [] });
  expect(reportDataIn(await readFile(folder.file("viewer"), "utf8"))).toContain("<script>alert(1)");
});

test("results never replace the scenarios or the configuration of their run", async () => {
  const rows = "question,answer\nHow long?,Two days.\n";
  const config = JSON.stringify({ scenarios: "questions.csv", model: "demo/scripted" });
  await using folder = await folderWith({ "questions.csv": rows, "rehearsal.json": config });
  const cwd = folder.path;
  for (const [file, part] of [
    ["questions.csv", "the scenarios"],
    ["rehearsal.json", "the configuration"],
  ]) {
    const { code, stderr } = await runCli(["eval", "-o", `./${file}`], { cwd });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`would replace ${part} of this run`) });
  }
  expect(await readFile(folder.file("questions.csv"), "utf8")).toBe(rows);
  expect(await readFile(folder.file("rehearsal.json"), "utf8")).toBe(config);
});

test("a step summary that cannot be written is reported, and all other files are written", async () => {
  await using folder = await folderWith({ "hello.json": checkedHello });
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

test("on GitHub eval writes annotations and a step summary", async () => {
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

test("with several models, annotations and JUnit cases name their model", async () => {
  await using provider = await startFakeProvider({ behaviour: text("No") });
  await using folder = await folderWith({ "hello.json": hello, "rehearsal.json": '{"threshold": 0.8}' });
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
