import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { text } from "../support/fake-provider/replies.ts";
import { folderWith } from "./eval-files.ts";
import { runCli } from "./run-cli.ts";

const scenarios = Array.from({ length: 24 }, (_, index) =>
  JSON.stringify({
    id: `s${index}`,
    interactions: [{ id: "1", user_message: `Question ${index}`, reference_reply: "Yes" }],
  }),
).join("\n");

const config = (endpoint: string) =>
  JSON.stringify({
    scenarios: "suite.jsonl",
    model: "m",
    endpoint,
    judge: { endpoint, model_id: "judge", rubric: "Is it good?", choices: { good: 1, bad: 0 } },
  });

test("verdicts are imported, shown with the corrected mean, and exported", async () => {
  await using provider = await startFakeProvider({ behaviour: text("Yes") });
  provider.setModelBehaviour("judge", text('{"reason":"fine","verdict":"good"}'));
  await using folder = await folderWith({ "suite.jsonl": scenarios, "rehearsal.json": config(provider.url) });
  const cwd = folder.path;
  expect((await runCli(["eval"], { cwd })).code).toBe(0);
  const nothing = await runCli(["verdicts", "show"], { cwd });
  expect(nothing.stdout).toContain("Not corrected: people judged 0 randomly chosen replies");

  const rows = Array.from(
    { length: 24 },
    (_, index) => `s${index},${index % 3 === 0 ? "bad" : "good"},${index === 0 ? "Wrong" : ""}`,
  );
  await writeFile(folder.file("labels.csv"), ["scenario_id,choice,comment", ...rows, "s1,,"].join("\n"));
  const picked = await runCli(["verdicts", "import", "latest", "labels.csv", "--rater", "eve"], { cwd });
  expect(picked.stderr).toContain("24 verdicts count as picked and correct no score");
  expect((await runCli(["verdicts", "show"], { cwd })).stdout).toContain("people judged 0 randomly chosen replies");
  await runCli(["verdicts", "export", "-o", "picked.jsonl", "latest"], { cwd });
  expect(await readFile(folder.file("picked.jsonl"), "utf8")).toContain('"sampling":"picked"');
  const random = ["--rater", "ada", "--sampling", "random"];
  const imported = await runCli(["verdicts", "import", "latest", "labels.csv", ...random], { cwd });
  expect(imported).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/stored 24 verdicts with .*, 1 row without a choice skipped/),
  });
  const shown = await runCli(["verdicts", "show"], { cwd });
  expect(shown.stdout).toContain("judge_correctness: eve 24, ada 24");
  expect(shown.stdout).toContain("People would give 0.667");

  expect((await runCli(["verdicts", "export", "-o", "out.jsonl", "latest"], { cwd })).code).toBe(0);
  const lines = (await readFile(folder.file("out.jsonl"), "utf8")).trim().split("\n");
  expect(lines).toHaveLength(48);
  expect(lines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ scenario_id: "s0", rater: "ada", choice: "bad", comment: "Wrong" }),
  );
  const again = await runCli(["verdicts", "import", "latest", "-", "--json"], { cwd, input: lines.join("\n") });
  expect(JSON.parse(again.stdout)).toMatchObject({ stored: 48, withdrawn: 0 });
  const csv = await runCli(["verdicts", "export"], { cwd });
  expect(csv.stdout.split("\n")[0]).toContain("scenario_id,attempt,turn_index,question");
  const refused = await runCli(["verdicts", "export", "-o", "out.jsonl"], { cwd });
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("--force") });
});

test("the next replies to label are written to a file, and comparisons and runs show the corrections", async () => {
  await using provider = await startFakeProvider({ behaviour: text("Yes") });
  provider.setModelBehaviour("judge", text('{"reason":"fine","verdict":"good"}'));
  await using folder = await folderWith({ "suite.jsonl": scenarios, "rehearsal.json": config(provider.url) });
  const cwd = folder.path;
  await runCli(["eval"], { cwd });
  await runCli(["eval"], { cwd });
  expect((await runCli(["compare", "latest~1"], { cwd })).stdout).not.toContain("Corrected by people");
  const next = await runCli(["verdicts", "next", "latest", "-o", "todo.csv"], { cwd });
  expect(next).toMatchObject({ code: 0, stderr: expect.stringContaining("20 replies to label") });
  const sheet = await readFile(folder.file("todo.csv"), "utf8");
  expect(sheet.split("\n")[0]).toMatch(/^scenario_id,attempt,turn_index,question,user_message,reply,/);
  expect(sheet).toContain("good | bad");
  await writeFile(folder.file("done.csv"), sheet.replaceAll("stratified,,", "stratified,bad,"));
  const imported = await runCli(["verdicts", "import", "latest", "done.csv", "--rater", "ada"], { cwd });
  expect(imported.stdout).toContain("stored 20 verdicts");
  expect((await runCli(["verdicts", "show"], { cwd })).stdout).toMatch(/Label next: s\d+ \(attempt 1, turn 1\), /);
  const shown = await runCli(["runs", "show"], { cwd });
  expect(shown.stdout).toMatch(/judge_correctness: People would give 0\.000 \(95 % interval 0\.000 to 0\.168\)/);
  const half = await runCli(["compare", "latest~1"], { cwd });
  expect(half.stdout).toContain("judge_correctness: The baseline cannot be corrected. Not corrected: people judged 0");
  await runCli(["verdicts", "import", "latest~1", "done.csv", "--rater", "ada"], { cwd });
  const markdown = await runCli(["compare", "latest~1", "--markdown"], { cwd });
  expect(markdown.stdout).toContain("By people's standards, no difference can be seen");
  const json = JSON.parse((await runCli(["compare", "latest~1", "--json"], { cwd })).stdout);
  expect(json.corrected).toMatchObject([{ score: "judge_correctness", effect: 0, verdicts: { baseline: 20 } }]);
  const unknown = await runCli(["verdicts", "next", "--question", "mood"], { cwd });
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("must be one of judge_correctness") });
});

test("a wrong file is refused with the line, and so is a command without one", async () => {
  await using provider = await startFakeProvider({ behaviour: text("Yes") });
  await using folder = await folderWith({
    "suite.jsonl": scenarios,
    "bad.csv": "scenario_id,choice\ns0,pass\ns1,great\n",
  });
  const cwd = folder.path;
  await runCli(["eval", "suite.jsonl", "--endpoint", provider.url, "-m", "m"], { cwd });
  const refused = await runCli(["verdicts", "import", "latest", "bad.csv"], { cwd });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("line 3: choice must be one of pass, partial, fail");
  expect((await runCli(["verdicts", "import"], { cwd })).stderr).toContain("rehearsal verdicts import RUN FILE");
});
