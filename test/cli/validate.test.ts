import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { Ajv2020 } from "ajv/dist/2020.js";
import { stringify } from "yaml";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runCli } from "./run-cli.ts";

test("validate reports each error with its place and exits with 2", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  await writeFile(folder.file("a.json"), '{"id":"a","interactions":[{"id":"1","user_message":"Hi"}]}');
  await writeFile(folder.file("b.yaml"), "id: b\ninteractions:\n  - id: x\n");
  const { code, stdout } = await runCli(["validate", "a.json", "b.yaml", "--json"], { cwd });
  expect(code).toBe(2);
  const { valid, files } = JSON.parse(stdout);
  expect(valid).toBe(false);
  expect(files).toMatchObject([
    { file: "a.json", scenarios: 1 },
    { file: "b.yaml", scenarios: 0 },
  ]);
  expect((await runCli(["validate", "a.json"], { cwd })).code).toBe(0);
});

test("validate reports every file and recognizes a configuration", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  await writeFile(folder.file("bad.json"), "{");
  await writeFile(folder.file("good.json"), '{"id":"a","interactions":[{"id":"1","user_message":"Hi"}]}');
  await writeFile(folder.file("columns.csv"), "foo,bar\na,b\n");
  const all = await runCli(["validate", "bad.json", "columns.csv", "good.json", "none.json"], { cwd });
  expect(all).toMatchObject({ code: 2, stdout: "good.json: ok, 1 scenario, 1 turn (json)\n" });
  expect(all.stderr).toContain("none.json does not exist");
  expect(all.stderr).toContain("bad.json: line 1");
  expect(all.stderr).toMatch(/columns\.csv: .*rehearsal import --map user=…/);

  await writeFile(folder.file("rehearsal.yaml"), "scenarios: good.json\ngates: [overal>=0.5]\n");
  const typo = await runCli(["validate", "rehearsal.yaml"], { cwd });
  expect(typo).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "overall"?') });
  await writeFile(folder.file("rehearsal.yaml"), "scenarios: good.json\n");
  const { code, stdout } = await runCli(["validate", "rehearsal.yaml"], { cwd });
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: "rehearsal.yaml: ok (configuration)\ngood.json: ok, 1 scenario, 1 turn (json)\n",
  });
  await writeFile(folder.file("promptfooconfig.yaml"), "prompts: ['{{question}}']\nproviders: [echo]\n");
  const nothing = await runCli(["validate", "promptfooconfig.yaml"], { cwd });
  expect(nothing).toMatchObject({ code: 2, stdout: expect.stringContaining("nothing to run, 0 scenarios") });
});

test("validate and doctor refuse checks that a run would refuse", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  const turn = (pattern: string) => `{"id":"1","user_message":"Hi","checks":[{"type":"regex","pattern":"${pattern}"}]}`;
  await writeFile(folder.file("a.json"), `{"id":"a","interactions":[${turn("(?=x)")}]}`);
  await writeFile(folder.file("rehearsal.yaml"), "scenarios: a.json\nscorers: [{ type: length }]\n");
  const told = await runCli(["validate"], { cwd });
  expect(told.stdout).toBe("rehearsal.yaml: not valid (configuration)\na.json: not valid, 1 scenario, 1 turn (json)\n");
  const { code, stdout } = await runCli(["validate", "--json"], { cwd });
  expect({ code, problems: JSON.parse(stdout).problems }).toEqual({
    code: 2,
    problems: [
      expect.stringMatching(/rehearsal\.yaml \/scorers\/0\/max: is required/),
      expect.stringMatching(/^a\.json: a, 1 \/checks\/0\/pattern: cannot be run safely/),
    ],
  });
  await writeFile(folder.file("rehearsal.yaml"), "scenarios: a.json\n");
  const examined = await runCli(["doctor", "--json"], { cwd });
  expect(JSON.parse(examined.stdout).checks).toContainEqual(
    expect.objectContaining({ name: "configuration", state: "problem" }),
  );
  await writeFile(folder.file("a.json"), `{"id":"a","interactions":[${turn("x")}]}`);
  expect((await runCli(["validate"], { cwd })).code).toBe(0);
});

test("validate refuses an unknown score, unless a scorer module or a service may define it", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  await writeFile(folder.file("a.json"), '{"id":"a","interactions":[{"id":"1","user_message":"Hi"}]}');
  await writeFile(folder.file("rehearsal.yaml"), "scenarios: a.json\nscorers: [token_f2]\n");
  const { code, stderr } = await runCli(["validate"], { cwd });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining(
      'rehearsal.yaml /scorers/0: "token_f2" is not a known scorer; did you mean "token_f1"?',
    ),
  });
  for (const env of [{ REHEARSAL_SCORERS_MODULE: "scorers.mjs" }, { REHEARSAL_SERVER: "http://127.0.0.1:9" }])
    expect((await runCli(["validate"], { cwd, env })).code).toBe(0);
});

const turn = { user_message: "Hi" };
const world = { tools: [{ name: "look", parameters: {}, answers: [{ wehn: { id: 1 }, result: 1 }] }] };
const group = { type: "group", checks: [{ type: "contains", text: "a", modus: "any" }] };

test.each([
  ["expects for expect", { interactions: [turn], expects: { said: ["a"] } }, "/expects", "(did you mean expect?)"],
  ["check for checks", { interactions: [{ ...turn, check: [] }] }, "/interactions/0/check", "(did you mean checks?)"],
  [
    "a field of another tool",
    { interactions: [{ ...turn, retrieval_context: ["a"] }] },
    "/interactions/0/retrieval_context",
    "(the fields here are id, user_message, .*, checks, .*)",
  ],
  [
    "within expect",
    { interactions: [turn], expect: { must_cal: ["a"] } },
    "/expect/must_cal",
    "(did you mean must_call?)",
  ],
  [
    "within before",
    { interactions: [turn], expect: { before: [{ first: { name: "a", args: {} }, later: "b" }] } },
    "/expect/before/0/first/args",
    "(the fields here are name, arguments)",
  ],
  [
    "without a required one",
    { interactions: [{ ...turn, checks: [{ type: "contains", values: ["a"] }] }] },
    "/interactions/0/checks/0/values",
    "(text is missing; the fields here are type, .*text, .*)",
  ],
  ["within a world", { interactions: [turn], world }, "/world/tools/0/answers/0/wehn", "(did you mean when?)"],
  ["within a user", { user: { goal: "buy", knws: {} } }, "/user/knws", "(did you mean knows?)"],
  [
    "within a group of checks",
    { interactions: [{ ...turn, checks: [group] }] },
    "/interactions/0/checks/0/checks/0/modus",
    "(did you mean mode?)",
  ],
  [
    "within an expected call",
    { interactions: [{ ...turn, reference_tool_calls: [{ name: "a", argument: {} }] }] },
    "/interactions/0/reference_tool_calls/0/argument",
    "(did you mean arguments?)",
  ],
])("a misspelt field is an error: %s", async (_name, scenario, pointer, help) => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  await writeFile(folder.file("s.yaml"), stringify({ id: "s", ...scenario }));
  const field = pointer.slice(pointer.lastIndexOf("/") + 1);
  const line = new RegExp(`s\\.yaml:\\d+ ${pointer}: unknown fields: ${field} ${help.replaceAll(/[()?]/g, "\\$&")}\n`);
  const checked = await runCli(["validate", "s.yaml"], { cwd });
  expect(checked).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(line),
    stdout: expect.stringContaining("not valid"),
  });
  const run = await runCli(["eval", "s.yaml", "-m", "demo/scripted"], { cwd });
  expect(run).toMatchObject({ code: 2, stderr: expect.stringMatching(line), stdout: "" });
  const skipped = await runCli(["eval", "s.yaml", "-m", "demo/scripted", "--skip-invalid"], { cwd });
  expect(skipped.code).toBe(2);
});

test.each([
  ["t.csv", 'user_message,check\nHi,"[]"\n', "t.csv:1: unknown column: check (did you mean checks?"],
  ["t.jsonl", '{"user_message":"Hi","referense_reply":"a"}', "did you mean reference_reply?"],
  [
    "t.csv",
    'user_message,checks\nHi,"[{""type"":""contains"",""txt"":""a"",""text"":""a""}]"\n',
    "unknown fields: txt",
  ],
  [
    "t.json",
    '{"test_batch":{"id":"r","interactions":[{"user_message":"Hi"}]},"jugde":{}}',
    "jugde (did you mean judge?)",
  ],
  [
    "t.yaml",
    "world: {}\nscenarios: [{ id: d, interactions: [{ user_message: Hi }] }]\n",
    "unknown fields beside scenarios: world",
  ],
])("so is one in %s: %s", async (file, content, message) => {
  await using folder = await temporaryFolder();
  await writeFile(folder.file(file), content);
  const found = await runCli(["validate", file], { cwd: folder.path });
  expect(found).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});

test("x-… and metadata are free, and the published schemas agree", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  const free = {
    id: "s",
    "x-owner": "ada",
    metadata: { any: 1 },
    interactions: [{ ...turn, "x-why": 1, metadata: { by: "ada" } }],
  };
  await writeFile(folder.file("s.yaml"), stringify(free));
  await writeFile(folder.file("t.csv"), "user_message,x-owner,metadata.topic\nHi,ada,orders\n");
  await writeFile(folder.file("rehearsal.yaml"), "scenarios: s.yaml\nx-owner: ada\nbudget: { x-why: 1, seconds: 3 }\n");
  expect(await runCli(["validate"], { cwd })).toMatchObject({ code: 0 });
  expect(await runCli(["validate", "t.csv"], { cwd })).toMatchObject({ code: 0 });
  const schemaOf = async (name: string) => JSON.parse((await runCli(["schema", name], { cwd })).stdout);
  const isScenario = new Ajv2020({ strict: false, validateFormats: false }).compile(await schemaOf("scenario"));
  expect(isScenario(free)).toBe(true);
  expect(isScenario({ ...free, expects: {} })).toBe(false);
  expect(isScenario({ ...free, interactions: [{ ...turn, check: [] }] })).toBe(false);
  const isConfig = new Ajv2020({ strict: false, validateFormats: false }).compile(await schemaOf("config"));
  expect(isConfig({ "x-owner": "ada", world })).toBe(false);
  expect(isConfig({ "x-owner": "ada", world: { tools: [] } })).toBe(true);
});

test.each([
  ["judge: { model_id: m, scpe: reply }", ':2:23 unknown key "scpe" in judge: did you mean "scope"?'],
  [
    "world:\n  tools:\n    - name: t\n      parameters: {}\n      answer: []",
    ':6:7 unknown key "answer" in world.tools.0: did you mean "answers"?',
  ],
  [
    "scorers: [{ type: contains, text: a, modes: all }]",
    ':2:38 unknown key "modes" in scorers.0: did you mean "mode"?',
  ],
])("a misspelt key of the configuration is an error at every level: %s", async (text, message) => {
  await using folder = await temporaryFolder();
  await writeFile(folder.file("rehearsal.yaml"), `scenarios: s.yaml\n${text}\n`);
  const found = await runCli(["validate"], { cwd: folder.path });
  expect(found).toMatchObject({ code: 2, stderr: expect.stringContaining(`rehearsal.yaml${message}`) });
});
