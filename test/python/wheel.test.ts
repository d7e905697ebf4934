import { execFile } from "node:child_process";
import { glob, mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { codeBlocks } from "../docs/markdown.ts";
import { built } from "../support/build-once.ts";
import { runServices } from "../support/services.ts";
import { deepTest } from "../support/deep-test.ts";
import { isDeep } from "../support/sizes.ts";
import { temporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");
const python = process.env["PYTHON"] ?? "python3";

/** Why the wheel cannot be built here; null where it can. In CI a missing Python is a failure, an unreachable PyPI is not. */
async function missing(): Promise<string | null> {
  const ask = "import sys, venv, pip; from urllib.request import urlopen; assert sys.version_info >= (3, 10)";
  const failed = await run(python, ["-c", ask]).then(
    () => null,
    (error: Error & { stderr?: string }) => error.stderr?.trim().split("\n").at(-1) || error.message,
  );
  if (failed !== null) {
    const said = `${python} 3.10 or newer with pip and venv is missing: ${failed}`;
    if (process.env["CI"]) throw new Error(said);
    return said;
  }
  const reached = await run(python, [...pip, "download", "--no-deps", "-d", folder.path, "iniconfig"]).catch(
    (error: Error) => error,
  );
  return reached instanceof Error ? `packages of Python cannot be downloaded: ${reached.message}` : null;
}

const pip = ["-m", "pip", "--quiet", "--disable-pip-version-check"];
let folder: TemporaryFolder;
let reason: string | null = null;
const virtual = () => folder.file("venv/bin/python");
/** The Node of this process, unless the wheel's own is installed. */
const environment = () => ({
  ...process.env,
  // In CI a turn without a reply has an exit code of its own, which the package's tests do not expect.
  CI: undefined,
  ...(!isDeep && { REHEARSAL_NODE: process.execPath }),
  HOME: folder.path,
  PYTHONDONTWRITEBYTECODE: "1",
});

beforeAll(async () => {
  folder = await temporaryFolder();
  reason = await missing();
  if (reason !== null) {
    process.stderr.write(`The tests of the Python package are skipped: ${reason}\n`);
    return;
  }
  await built("bundle");
  await run(process.execPath, [join(root, "scripts/build-wheel.mjs"), folder.path], { env: process.env });
  await run(python, ["-m", "venv", "--without-pip", folder.file("venv")]);
  const [wheel] = await Array.fromAsync(glob("rehearsal_eval-*.whl", { cwd: folder.path }));
  const install = [...pip, "--python", virtual(), "install"];
  await run(python, [...install, ...(isDeep ? [] : ["--no-deps"]), folder.file(wheel!)]);
  await run(python, [...install, "pytest", "pytest-xdist", ...(isDeep ? ["mypy"] : [])]);
}, 600_000);
afterAll(() => folder[Symbol.asyncDispose]());

/** Runs a program of the package; what pytest printed is part of the failure. */
async function inVenv(...parameters: string[]): Promise<string> {
  const { stdout } = await run(virtual(), parameters, { cwd: folder.path, env: environment() }).catch(
    (error: Error & { stdout?: string; stderr?: string }) => {
      throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`);
    },
  );
  return stdout;
}

test("the wheel passes its own tests", async ({ skip }) => {
  if (reason !== null) return skip(reason);
  const said = await inVenv("-m", "pytest", join(root, "python/tests"), "-q", "-n", "2", "-p", "no:cacheprovider");
  // The types are checked by mypy, which only the deep tests install.
  expect(said).toMatch(isDeep ? /^\d+ passed in/m : /^\d+ passed, 1 skipped in/m);
});

deepTest("the package has no error of mypy's strict check", async ({ skip }) => {
  if (reason !== null) return skip(reason);
  const types = ["-m", "mypy", "--strict", "--python-version", "3.10", "--cache-dir", folder.file("mypy")];
  expect(
    await inVenv(...types, "--config-file", join(root, "python/pyproject.toml"), "-p", "rehearsal_eval"),
  ).toContain("Success: no issues found");
});

test("the wheel has the engine, its types and every licence, in at most 15 MB", async ({ skip }) => {
  if (reason !== null) return skip(reason);
  const [wheel] = await Array.fromAsync(glob("rehearsal_eval-*.whl", { cwd: folder.path }));
  const list = `
import json, sys, zipfile
files = zipfile.ZipFile(sys.argv[1]).infolist()
print(json.dumps({"names": [file.filename for file in files], "bytes": sum(file.compress_size for file in files)}))`;
  const { names, bytes } = JSON.parse(await inVenv("-c", list, folder.file(wheel!))) as {
    names: string[];
    bytes: number;
  };
  expect(bytes).toBeLessThan(15_000_000);
  expect(names).toEqual(
    expect.arrayContaining([
      "rehearsal_eval/py.typed",
      "rehearsal_eval/_engine/dist/cli/main.js",
      "rehearsal_eval/_engine/dist/THIRD-PARTY-NOTICES.md",
      "rehearsal_eval/_engine/web/dist/index.html",
      "rehearsal_eval/_engine/LICENSE",
      expect.stringMatching(/dist-info\/licenses\/LICENSE$/),
    ]),
  );
  expect(names.filter((name) => /\/\.|\.ts$|tests?\//.test(name))).toEqual([]);
});

test("rehearsal is the same command line", async ({ skip }) => {
  if (reason !== null) return skip(reason);
  const { stdout } = await run(folder.file("venv/bin/rehearsal"), ["--version"], { env: environment() });
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
  expect(stdout).toContain(version);
});

test("the programs of the guide do what they say", async ({ skip }) => {
  if (reason !== null) return skip(reason);
  const programs = codeBlocks("docs/python.md").filter(({ language }) => language === "python" || language === "yaml");
  expect(programs).toHaveLength(6);
  await using services = await runServices();
  await mkdir(folder.file("scenarios"));
  for (const [index, { text }] of programs.entries()) {
    const [, name] = /^# (\S+\.\w+)\n/.exec(text) ?? [];
    const addressed = text
      .replace("http://127.0.0.1:8001", services.evaluation)
      .replace("http://127.0.0.1:8000", services.agent);
    await writeFile(folder.file(name ?? `program-${index}.py`), addressed);
    if (name === undefined) await inVenv(`program-${index}.py`);
  }
  expect(await inVenv("-m", "pytest", "-q", "test_support.py")).toContain("1 of 1 scenarios passed: 1.000");
});

test("the same scenarios have the same results from Python, TypeScript and the command line, byte for byte", async ({
  skip,
}) => {
  if (reason !== null) return skip(reason);
  const calls = `[{ "name": "refund", "arguments": { "order": 12 } }]`;
  const scenarios = `- id: refund
  interactions:
    - { user_message: Hi, checks: [{ type: contains, text: hello }] }
    - { user_message: Refund 12, reference_reply: Done., reference_tool_calls: [{ name: refund, arguments: { order: 13 } }] }
- id: greeting
  interactions: [{ user_message: Hi, reference_reply: hello there }]
`;
  await writeFile(folder.file("same.yaml"), scenarios);
  await writeFile(
    folder.file("agent.mjs"),
    `export const reply = (messages) => ({ text: "hello " + messages.at(-1).content, tool_calls: ${calls} });\n`,
  );
  await writeFile(
    folder.file("same.py"),
    `import json, sys
from rehearsal_eval import Reply, evaluate
def agent(messages):
    return Reply(text="hello " + messages[-1]["content"], tool_calls=${calls})
print(json.dumps(evaluate("same.yaml", agent, attempts=2, name="same", data_dir="from-python").raw))
`,
  );
  await writeFile(
    folder.file("same.mjs"),
    `import { evaluate } from ${JSON.stringify(join(root, "dist/index.js"))};
const agent = (messages) => ({ text: "hello " + messages.at(-1).content, tool_calls: ${calls} });
const given = { scenarios: "same.yaml", target: agent, attempts: 2, name: "same", dataDir: "from-typescript" };
console.log(JSON.stringify((await evaluate(given)).raw));
`,
  );
  const main = join(root, "dist/cli/main.js");
  const options = ["eval", "same.yaml", "--target", "./agent.mjs", "-a", "2", "--name", "same", "--json"];
  // Its verdict is red: the order is another one.
  const fromModule = await run(process.execPath, [main, ...options], { cwd: folder.path }).catch(
    (error: { stdout: string }) => error,
  );
  const [expected] = (JSON.parse(fromModule.stdout) as { runs: [object] }).runs;
  expect(JSON.parse(expected ? comparable(expected) : "")).toMatchObject({
    exit_code: 1,
    results: { scenarios: [{}, {}] },
  });
  const fromTypeScript = await run(process.execPath, [folder.file("same.mjs")], { cwd: folder.path });
  const [python, typescript] = [await inVenv("same.py"), fromTypeScript.stdout].map(
    (text) => JSON.parse(text) as object,
  );
  expect(comparable(python!)).toBe(comparable(expected!));
  expect(comparable(typescript!)).toBe(comparable(expected!));
});

/** The text of a result without ids, times, and how the agent was reached. */
function comparable(result: object): string {
  const left = /^(run_id|timing|endpoint|protocol|latency_ms|first_token_ms|own_agent|warnings)$/;
  return JSON.stringify(result, (name, value: unknown) => (left.test(name) ? undefined : value), 1);
}
