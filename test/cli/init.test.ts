import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { starterFiles, workflowFile } from "../../src/cli/commands/evaluate/init.ts";
import { commandLine } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runCli } from "./run-cli.ts";

const read = (name: string) => readFile(resolve(import.meta.dirname, "../..", name), "utf8");

test("init writes a folder that can be evaluated at once, and never overwrites a file", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  await writeFile(folder.file(".env.example"), "MINE=1\n");
  const first = await runCli(["init", "--yes", "--json"], { cwd });
  expect(first.code).toBe(0);
  expect(JSON.parse(first.stdout)).toMatchObject({ kept: [".env.example"] });
  expect(await readFile(folder.file(".env.example"), "utf8")).toBe("MINE=1\n");
  expect((await runCli(["validate"], { cwd })).stdout).toContain("rehearsal.yaml: ok");
  const run = await runCli(["eval", "--attempts", "1", "--json"], { cwd });
  expect(run.code).toBe(0);
  expect(JSON.parse(run.stdout).runs[0]).toMatchObject({ test_name: "support", demo: true, summary: { failed: 0 } });
});

test.each([
  {
    files: { "pyproject.toml": `[project]\ndependencies = ["langgraph>=1", "httpx"]\n` },
    project: { language: "python", framework: "LangGraph", runner: "pytest" },
    written: "tests/test_conversations.py",
    says: ["graph.invoke", "@pytest.mark.rehearsal"],
    runs: "pytest tests/test_conversations.py",
  },
  {
    files: { "requirements.txt": "pydantic-ai==1.2\n# langgraph\n" },
    project: { language: "python", framework: "Pydantic AI", runner: "pytest" },
    written: "tests/test_conversations.py",
    says: ["agent.run_sync"],
    runs: "pip install rehearsal-eval pytest",
  },
  {
    files: { "package.json": `{"dependencies": {"ai": "7"}, "devDependencies": {"vitest": "5", "typescript": "7"}}` },
    project: { language: "typescript", framework: "AI SDK", runner: "vitest" },
    written: "test/conversations.test.ts",
    says: [`from "vitest"`, "generateText", "TargetFunction"],
    runs: "npx vitest run",
  },
  {
    files: { "package.json": `{"dependencies": {"express": "5"}}` },
    project: { language: "javascript", runner: "node:test" },
    written: "test/conversations.test.mjs",
    says: [`from "node:test"`],
    runs: "node --test test/",
  },
])("init writes the test and the workflow of a $project.language project with $project.framework", async (given) => {
  await using folder = await temporaryFolder();
  for (const [name, text] of Object.entries(given.files)) await writeFile(folder.file(name), text);
  const { stdout } = await runCli(["init", "--yes", "--json"], { cwd: folder.path });
  const told = JSON.parse(stdout) as { project: object; written: string[] };
  expect(told.project).toEqual(given.project);
  expect(told.written).toContain(given.written);
  const text = await readFile(folder.file(given.written), "utf8");
  for (const part of given.says) expect(text).toContain(part);
  const workflow = await readFile(folder.file(".github/workflows/rehearsal.yml"), "utf8");
  expect(parse(workflow).jobs.evaluate.steps.length).toBeGreaterThan(2);
  expect(workflow).toContain(given.runs);
  // The user's work stays.
  await writeFile(folder.file(given.written), "mine");
  await runCli(["init", "--yes"], { cwd: folder.path });
  expect(await readFile(folder.file(given.written), "utf8")).toBe("mine");
});

test("init with an endpoint asks for its model and writes nothing", async () => {
  await using folder = await temporaryFolder();
  const endpoint = "https://api.example.com/v1";
  const { code, stderr } = await runCli(["init", "--yes", "--endpoint", endpoint], { cwd: folder.path });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `rehearsal: no model was given: use --model with a model of ${endpoint}\n`,
  });
  expect(await readdir(folder.path)).toEqual([]);
});

test("init keeps runs and keys out of the repository, and writes the workflow where GitHub looks", async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  await mkdir(folder.file(".git"));
  await mkdir(folder.file("apps/bot"), { recursive: true });
  await writeFile(folder.file("apps/bot/.gitignore"), "node_modules\n/.env\n");
  const { code, stdout, stderr } = await runCli(["init", "apps/bot", "--yes"], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain("wrote apps/bot/rehearsal.yaml\n");
  expect(stdout).toContain("wrote .github/workflows/rehearsal.yml\n");
  expect(stderr).toContain("Add .rehearsal/ to apps/bot/.gitignore");
  expect(stderr).toMatch(/Next: cd apps\/bot && \S*node .*main\.[jt]s eval/);
  const { jobs } = parse(await readFile(folder.file(".github/workflows/rehearsal.yml"), "utf8"));
  const { defaults, steps } = jobs.evaluate;
  expect(defaults).toEqual({ run: { "working-directory": "apps/bot" } });
  expect(steps.at(-1).with.path).toContain("apps/bot/junit*.xml\n");

  await runCli(["init", "other", "--yes"], { cwd });
  expect(await readFile(folder.file("other/.gitignore"), "utf8")).toBe(".rehearsal/\n.env\n");
});

test("no written file or guide installs a package named rehearsal from the registry", async () => {
  const files = Object.values({ ...starterFiles({}), ...workflowFile("") }).join("\n");
  const documents = await Promise.all(
    ["action.yml", "README.md", "docs/start.md", "docs/ci.md", "docs/mcp.md"].map(read),
  );
  for (const text of [files, ...documents]) {
    expect(text).not.toMatch(
      /npx (--yes |-y )?(--package[= ])?"?rehearsal(?!-eval)|"npx", "args": \["rehearsal(?!-eval)/,
    );
  }
});

// A limit on file sizes replaces a full disk: both stop a write in the middle.
test.skipIf(process.platform === "win32")("init leaves no partial file behind", async () => {
  await using folder = await temporaryFolder();
  const limited = ["-c", 'ulimit -f 0; exec "$0" "$@"', process.execPath, commandLine, "init", "--yes"];
  const run = promisify(execFile)("sh", limited, { cwd: folder.path });
  await expect(run).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining("cannot be written: EFBIG") });
  expect(await readdir(folder.path)).toEqual([]);
});
