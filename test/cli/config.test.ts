import { existsSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runCli } from "./run-cli.ts";

const scenario = "id: hello\ninteractions:\n  - id: one\n    user_message: Hi\n";

async function folderWith(files: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries({ "scenarios/hello.yaml": scenario, ...files })) {
    await mkdir(dirname(folder.file(name)), { recursive: true });
    await writeFile(folder.file(name), content);
  }
  return folder;
}

async function planOf(cwd: string) {
  const { code, stdout, stderr } = await runCli(["eval", "--dry-run", "--json"], { cwd });
  return { code, stderr, run: code === 0 ? JSON.parse(stdout).runs[0] : null };
}

const asJson = { name: "support", scenarios: "scenarios/", endpoint: "http://127.0.0.1:9/v1", model: "m", attempts: 2 };

test.each([
  ["rehearsal.json", JSON.stringify(asJson)],
  [
    "rehearsal.yaml",
    Object.entries(asJson)
      .map(([key, value]) => `${key}: ${value}`)
      .join("\n"),
  ],
  ["rehearsal.ts", `const attempts: number = 2;\nexport default { ...${JSON.stringify(asJson)}, attempts };`],
  ["rehearsal.mts", `export default async () => (${JSON.stringify(asJson)});`],
])("eval reads its settings from %s", async (name, content) => {
  await using folder = await folderWith({ [name]: content, "package.json": '{ "type": "module" }' });
  const { run } = await planOf(folder.path);
  expect(run).toMatchObject({ test_name: "support", model_id: "m", attempts: 2, scenarios: 1 });
});

test("a configuration takes values from .env, which the environment outranks", async () => {
  await using folder = await folderWith({
    "rehearsal.yaml": "scenarios: scenarios/\nendpoint: http://127.0.0.1:9/v1\nmodel: ${MODEL}\nname: ${NAME}\n",
    ".env": "MODEL=from-file\nNAME=from-file\n",
  });
  const options = { cwd: folder.path, env: { NAME: "from-environment" } };
  const { stdout } = await runCli(["eval", "--dry-run", "--json"], options);
  expect(JSON.parse(stdout).runs[0]).toMatchObject({ model_id: "from-file", test_name: "from-environment" });
});

test("a file of variables may start with a byte order mark, and a folder named .env is ignored", async () => {
  await using folder = await folderWith({
    "rehearsal.yaml": "scenarios: scenarios/\nendpoint: http://127.0.0.1:9/v1\nmodel: ${MODEL:-none}\n",
    "marked.env": "\uFEFFMODEL=marked\r\n",
  });
  const plan = (...more: string[]) => runCli(["eval", "--dry-run", "--json", ...more], { cwd: folder.path });
  await mkdir(folder.file(".env"));
  expect(JSON.parse((await plan()).stdout).runs).toMatchObject([{ model_id: "none" }]);
  expect(JSON.parse((await plan("--env", "marked.env")).stdout).runs).toMatchObject([{ model_id: "marked" }]);
  await writeFile(folder.file("wide.env"), "\uFEFFMODEL=wide\r\n", "utf16le");
  const stderr = expect.stringContaining("wide.env cannot be read (this is UTF-16 or binary; save the file as UTF-8");
  expect(await plan("--env", "wide.env")).toMatchObject({ code: 2, stderr });
});

test("a configuration that is a folder is refused with one line and exit 2", async () => {
  await using folder = await folderWith({});
  const { code, stderr } = await runCli(["eval", "-c", "scenarios"], { cwd: folder.path });
  expect({ code, stderr }).toEqual({ code: 2, stderr: "rehearsal: scenarios cannot be read (it is a folder)\n" });
});

test.each([
  ["rehearsal.ts", "export const config = {};", "rehearsal.ts has no default export"],
  ["rehearsal.ts", "export default { atempts: 2 };", 'rehearsal.ts unknown key "atempts": did you mean "attempts"?'],
  ["rehearsal.ts", "throw new Error('no luck');", "rehearsal.ts:1:7 cannot be loaded: no luck"],
  ["rehearsal.ts", "export default {\n  name: 'a'\n  model: 'b',\n};", "rehearsal.ts:3:1 cannot be loaded: Expected"],
  ["rehearsal.json", '{ "attempts": 0 }', "rehearsal.json:1:15 attempts"],
  ["rehearsal.json", '{ "attempts": 1 } // once', "rehearsal.json:1:19 is not valid JSON"],
])("%s with %j is refused with one line and exit 2, whatever the folder is called", async (name, content, message) => {
  await using folder = await folderWith({ [`my $& ü/${name}`]: content, "package.json": '{ "type": "module" }' });
  const { code, stderr } = await planOf(folder.file("my $& ü"));
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
});

test.each([
  ["rehearsal.ts", "rehearsal.mts"],
  ["rehearsal.js", "rehearsal.mjs"],
])("%s in a CommonJS package is refused with the name it should have", async (name, instead) => {
  await using folder = await folderWith({ [name]: "export default {};", "package.json": '{ "type": "commonjs" }' });
  const { code, stderr } = await planOf(folder.path);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`name the file ${instead} instead\n`) });
});

test("configuration, baseline and result files are not read as scenarios when they are in the same folder", async () => {
  await using folder = await folderWith({
    "checks.yaml":
      "scenarios: .\nmodel: [demo/retrieval, demo/scripted]\nbaseline: before.json\noutput: [results.json]\n",
  });
  const run = (...words: string[]) => runCli(words, { cwd: folder.path });
  expect(await run("eval", "scenarios", "-m", "demo/scripted", "-o", "before.json", "--no-gate")).toMatchObject({
    code: 0,
  });
  for (const _time of ["first", "again"]) {
    const { code, stderr } = await run("eval", "--config", "checks.yaml", "--max-regression", "1");
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("wrote results-2.json") });
  }
  const files = [expect.objectContaining({ file: "scenarios/hello.yaml" })];
  const { stdout } = await run("validate", "--config", "checks.yaml", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ valid: true, files });
  await rename(folder.file("checks.yaml"), folder.file("rehearsal.yaml"));
  const { checks } = JSON.parse((await run("doctor", "--json")).stdout);
  expect(checks).toContainEqual(expect.objectContaining({ name: "configuration", state: "ok" }));
});

test("paths in a configuration are relative to its folder", async () => {
  await using folder = await folderWith({
    "checks.yaml": "scenarios: scenarios/\nmodel: demo/scripted\nbaseline: before.json\noutput: [out/after.json]\n",
  });
  const run = (cwd: string, ...words: string[]) => runCli(words, { cwd });
  await run(folder.path, "eval", "scenarios", "-m", "demo/scripted", "-o", "before.json");
  await mkdir(folder.file("elsewhere"));
  const called = await run(folder.file("elsewhere"), "eval", "--config", "../checks.yaml", "--max-regression", "1");
  expect(called).toMatchObject({ code: 0, stderr: expect.stringContaining("wrote ../out/after.json") });
  expect(existsSync(folder.file("out/after.json"))).toBe(true);
});
