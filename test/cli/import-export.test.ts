import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { commandLine } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runCli } from "./run-cli.ts";

const fixtures = resolve(import.meta.dirname, "../../src/formats/fixtures");

test("- reads standard input, and watch refuses it", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  const input = "question,answer\nHi,Hello\n";
  const imported = await runCli(["import", "-", "--json"], { cwd, input });
  expect(JSON.parse(imported.stdout)).toMatchObject({ scenarios: [{ interactions: [{ user_message: "Hi" }] }] });
  const checked = await runCli(["validate", "-"], { cwd, input: '{"id":"a","interactions":[{"user_message":"Hi"}]}' });
  expect(checked).toMatchObject({ code: 0, stdout: "-: ok, 1 scenario, 1 turn (json)\n" });
  expect(await runCli(["eval", "-", "-m", "demo/retrieval"], { cwd, input })).toMatchObject({ code: 0 });
  expect(await runCli(["watch", "-", "-m", "demo/retrieval"], { cwd, input })).toMatchObject({
    code: 2,
    stderr: "rehearsal: standard input cannot be watched: name files or a folder\n",
  });
});

test("tests named by a promptfoo configuration are imported once", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  await writeFile(folder.file("promptfooconfig.yaml"), 'prompts: ["{{ question }}"]\ntests: file://tests.csv\n');
  await writeFile(folder.file("tests.csv"), "question,__expected\nHi,similar: Hello\n");
  const imported = await runCli(["import", ".", "--json"], { cwd });
  expect(JSON.parse(imported.stdout)).toMatchObject({ scenarios: [{ interactions: [{ reference_reply: "Hello" }] }] });
  expect(await runCli(["validate", "."], { cwd })).toMatchObject({
    code: 0,
    stdout: "promptfooconfig.yaml: ok, 1 scenario, 1 turn (promptfoo)\n",
  });
  expect(await runCli(["validate", ".", "tests.csv"], { cwd })).toMatchObject({ code: 2 });
});

test("import reads files of another tool, reports what was lost, and export writes them again", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  const imported = await runCli(["import", `${fixtures}/promptfooconfig.yaml`, "-o", "scenarios.yaml"], { cwd });
  expect(imported).toMatchObject({ code: 0, stdout: "" });
  expect(imported.stderr).toMatch(/read as promptfoo/);
  const exported = await runCli(["export", "scenarios.yaml", "--to", "openai-chat"], { cwd });
  expect(exported.code).toBe(0);
  for (const line of exported.stdout.trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("messages");
  const asJson = await runCli(["export", "scenarios.yaml", "-o", "chats.jsonl", "--to", "openai-chat", "--json"], {
    cwd,
  });
  expect(JSON.parse(asJson.stdout)).toMatchObject({ format: "openai-chat", file: "chats.jsonl" });
  expect(await readFile(folder.file("chats.jsonl"), "utf8")).toBe(exported.stdout);
  const mapped = await runCli(["import", `${fixtures}/sharegpt.json`, "--json", "-o", "kept.json"], { cwd });
  const { scenarios, file } = JSON.parse(mapped.stdout);
  expect(scenarios.length).toBeGreaterThan(0);
  expect(file).toBe("kept.json");
  expect(await readFile(folder.file("kept.json"), "utf8")).toContain(JSON.stringify(scenarios[0].id));
});

test.each([
  ["import", "none.json"],
  ["export", "none.json", "--to", "yaml"],
  ["export", "one.json", "--to", "openai-chat"],
])("%s of %s without a scenario leaves an existing output file unchanged", async (...args) => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  await writeFile(folder.file("none.json"), '[{"id":"a","interactions":[]}]');
  await writeFile(folder.file("one.json"), '{"id":"a","interactions":[{"user_message":"Hi"}]}');
  await writeFile(folder.file("kept.yaml"), "of yesterday");
  const told = { code: 2, stderr: expect.stringMatching(/^rehearsal: (no scenario was found|nothing was written)/m) };
  expect(await runCli([...args, "-o", "kept.yaml"], { cwd })).toMatchObject({ ...told, stdout: "" });
  const asJson = await runCli([...args, "-o", "kept.yaml", "--json"], { cwd });
  expect(asJson).toMatchObject(told);
  expect(JSON.parse(asJson.stdout)).not.toHaveProperty("file");
  expect(await readFile(folder.file("kept.yaml"), "utf8")).toBe("of yesterday");
});

test("import reports a check that no run accepts, and writes the file", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  const assertion = "{ type: is-json, value: { type: objekt } }";
  await writeFile(
    folder.file("promptfooconfig.yaml"),
    `prompts: ["{{ q }}"]\ntests:\n  - description: greeting\n    vars: { q: Hi }\n    assert: [${assertion}]\n`,
  );
  const imported = await runCli(["import", "promptfooconfig.yaml", "-o", "kept.yaml"], { cwd });
  expect(imported).toMatchObject({ code: 0 });
  expect(imported.stderr).toMatch(
    /^ {2}unusable \/scenarios\/0\/interactions\/0\/checks\/0\/schema: is not a usable JSON schema.*; until this is fixed, runs refuse/m,
  );
  expect(await readFile(folder.file("kept.yaml"), "utf8")).toContain("objekt");
  const { stdout } = await runCli(["import", "promptfooconfig.yaml", "--json"], { cwd });
  expect(JSON.parse(stdout)).toMatchObject({
    notes: [{ kind: "unusable", pointer: "/scenarios/0/interactions/0/checks/0/schema" }],
  });
});

// A limit on file sizes replaces a full disk: both stop a write in the middle.
test.skipIf(process.platform === "win32")(
  "a file that cannot be written completely leaves the earlier one unchanged",
  async () => {
    await using folder = await temporaryFolder();
    const scenarios = [{ id: "s", interactions: [{ id: "t", user_message: "x".repeat(20_000) }] }];
    await writeFile(folder.file("in.json"), JSON.stringify(scenarios));
    const limited = [
      "-c",
      'ulimit -f 8; exec "$0" "$@"',
      process.execPath,
      commandLine,
      "import",
      "in.json",
      "-o",
      "out.json",
    ];
    const run = () => promisify(execFile)("sh", limited, { cwd: folder.path }).catch((error: unknown) => error);
    const refused = {
      code: 2,
      stderr: expect.stringContaining("out.json cannot be written: EFBIG") as string,
    };
    expect(await run()).toMatchObject(refused);
    expect(await readdir(folder.path)).toEqual(["in.json"]);
    await writeFile(folder.file("out.json"), "of yesterday");
    expect(await run()).toMatchObject(refused);
    expect(await readdir(folder.path)).toEqual(["in.json", "out.json"]);
    expect(await readFile(folder.file("out.json"), "utf8")).toBe("of yesterday");
  },
);

test("an output path that is a folder is reported as such", async () => {
  await using folder = await temporaryFolder();
  await mkdir(folder.file("out.yaml"));
  await writeFile(folder.file("in.json"), '[{ "id": "s", "interactions": [{ "user_message": "Hi" }] }]');
  const { code, stderr } = await runCli(["import", "in.json", "-o", "out.yaml"], { cwd: folder.path });
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("rehearsal: out.yaml cannot be written: it is a folder\n"),
  });
});
