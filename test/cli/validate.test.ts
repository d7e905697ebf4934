import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runCli } from "./run-cli.ts";

test("validate reports each error with its place and exits with 2", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  await writeFile(folder.file("a.json"), '{"id":"a","interactions":[{"id":"1","user_message":"Hi","tags":[]}]}');
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
