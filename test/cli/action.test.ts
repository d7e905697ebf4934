import { execFile, type ExecFileException } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { commandLine } from "../support/command-line.ts";
import { temporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly "working-directory"?: string;
}

interface Comment {
  readonly id: number;
  body: string;
  readonly user: { readonly login: string; readonly type: string };
}

const bot = { login: "github-actions[bot]", type: "Bot" };

/** A repository with a scenario on main, and a pull request that changes the agent. */
async function repository(reply: string): Promise<TemporaryFolder> {
  const folder = await temporaryFolder();
  const git = (...parameters: string[]) =>
    run("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...parameters], { cwd: folder.path });
  await git("init", "-q", "-b", "main");
  await mkdir(folder.file("scenarios"));
  const turn = "{ user_message: Hi, checks: [{ type: contains, text: hello }] }";
  await writeFile(folder.file("scenarios/greeting.yaml"), `id: greeting\ninteractions: [${turn}]\n`);
  await writeFile(folder.file("agent.mjs"), `export const reply = () => "hello";\n`);
  await git("add", ".");
  await git("commit", "-qm", "main");
  await git("checkout", "-qb", "change");
  await writeFile(folder.file("agent.mjs"), `export const reply = () => ${JSON.stringify(reply)};\n`);
  await git("commit", "-qam", "change");
  // What npm ci leaves behind.
  await mkdir(folder.file("node_modules/.bin"), { recursive: true });
  await symlink(root, folder.file("node_modules/rehearsal-eval"));
  await writeFile(
    folder.file("node_modules/.bin/rehearsal"),
    `#!/bin/sh\nexec "${process.execPath}" "${commandLine}" "$@"\n`,
    {
      mode: 0o755,
    },
  );
  return folder;
}

/** Runs the steps of action.yml in their order as GitHub's runner does, but for the actions of others. */
async function runAction(folder: TemporaryFolder, given: Readonly<Record<string, string>>, comments: Comment[]) {
  const action = parse(await readFile(join(root, "action.yml"), "utf8")) as {
    inputs: Readonly<Record<string, { default?: string }>>;
    runs: { steps: readonly Step[] };
  };
  const pullRequest = { number: 7, head: { repo: { full_name: "o/r" } } };
  const event = { pull_request: pullRequest };
  const files = { output: folder.file("output"), summary: folder.file("summary.md"), event: folder.file("event.json") };
  await Promise.all([
    writeFile(files.output, ""),
    writeFile(files.summary, ""),
    writeFile(files.event, JSON.stringify(event)),
  ]);
  const context = {
    inputs: Object.fromEntries(
      Object.entries(action.inputs).map(([name, input]) => [name, given[name] ?? input.default ?? ""]),
    ),
    github: { event_name: "pull_request", event, repository: "o/r", token: "t" },
    runner: { temp: folder.file("temp") },
    steps: {} as Record<string, { outputs: Record<string, string> }>,
  };
  const valueOf = (expression: string): unknown =>
    // `inputs.working-directory` is a name with a hyphen, and `==` compares texts.
    runInNewContext(expression.replaceAll(/\.([\w]+(?:-[\w]+)+)/g, `["$1"]`), context);
  const filled = (text: string): string =>
    text.replaceAll(/\$\{\{(.+?)\}\}/g, (_, expression: string) => String(valueOf(expression)));

  const used: string[] = [];
  let code = 0;
  let printed = "";
  for (const step of action.runs.steps) {
    if (step.if !== undefined && !valueOf(step.if)) continue;
    const own = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, filled(value)]));
    if (step.uses !== undefined) used.push(step.uses);
    if (step.with?.["script"] !== undefined) await comment(String(step.with["script"]), own, comments);
    if (step.run === undefined) continue;
    const env = {
      PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
      HOME: folder.path,
      CI: "true",
      GITHUB_ACTIONS: "true",
      GITHUB_WORKSPACE: folder.path,
      GITHUB_REPOSITORY: "o/r",
      GITHUB_EVENT_NAME: "pull_request",
      GITHUB_EVENT_PATH: files.event,
      GITHUB_REF: "refs/pull/7/merge",
      GITHUB_HEAD_REF: "change",
      GITHUB_BASE_REF: "main",
      GITHUB_OUTPUT: files.output,
      GITHUB_STEP_SUMMARY: files.summary,
      ...own,
    };
    const cwd = resolve(folder.path, filled(step["working-directory"] ?? "."));
    const shell = ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run];
    const ended = await run("bash", shell, { cwd, env }).catch(
      (error: ExecFileException & { stdout: string; stderr: string }) => error,
    );
    printed += ended.stdout + ended.stderr;
    if (step.id !== undefined) {
      const lines = (await readFile(files.output, "utf8")).trim().split("\n");
      context.steps[step.id] = { outputs: Object.fromEntries(lines.map((line) => line.split(/=(.*)/s))) };
    }
    if ("code" in ended) {
      code = Number(ended.code);
      break;
    }
  }
  return {
    code,
    printed,
    used,
    outputs: context.steps["evaluate"]?.outputs ?? {},
    summary: await readFile(files.summary, "utf8"),
  };
}

/** actions/github-script, with a pull request that has these comments. */
async function comment(script: string, env: Record<string, string>, comments: Comment[]): Promise<void> {
  const issues = {
    listComments: () => {},
    createComment: async ({ body }: { body: string }) => comments.push({ id: comments.length + 1, body, user: bot }),
    updateComment: async ({ comment_id, body }: { comment_id: number; body: string }) => {
      for (const each of comments) if (each.id === comment_id) each.body = body;
    },
  };
  const github = { rest: { issues }, paginate: async () => comments };
  const context = { repo: { owner: "o", repo: "r" }, issue: { number: 7 } };
  const call = runInNewContext(`(async (require, process, github, context) => {${script}})`);
  await call(createRequire(import.meta.url), { env }, github, context);
}

test("the action gates a pull request, and keeps one comment of its own up to date", async () => {
  const stranger = { id: 1, body: "<!-- rehearsal -->\nof a stranger", user: { login: "mallory", type: "User" } };
  const comments: Comment[] = [{ ...stranger }];
  await using broken = await repository("go away");
  const failed = await runAction(broken, { files: "scenarios/", arguments: "--target=./agent.mjs" }, comments);
  expect(failed).toMatchObject({ code: 1, outputs: { "exit-code": "1" } });
  expect(failed.used).toEqual([
    expect.stringContaining("actions/setup-node@"),
    expect.stringContaining("actions/upload-artifact@"),
    expect.stringContaining("actions/github-script@"),
  ]);
  expect(failed.printed).toMatch(/^::error /m);
  expect(failed.summary).toContain("greeting");
  expect(comments).toHaveLength(2);
  expect(comments[1]?.body).toMatch(/^<!-- rehearsal -->\n[\s\S]*greeting/);
  const results = JSON.parse(await readFile(failed.outputs["results"] ?? "", "utf8")) as { exit_code: number };
  expect(results.exit_code).toBe(1);

  await using mended = await repository("hello again");
  const passed = await runAction(mended, { files: "scenarios/", arguments: "--target=./agent.mjs" }, comments);
  expect(passed).toMatchObject({ code: 0, outputs: { "exit-code": "0" } });
  expect(comments).toEqual([stranger, { ...comments[1], body: expect.not.stringContaining("failed") }]);
});

test("the action takes the published package where none is installed", async () => {
  await using folder = await repository("hello again");
  const npx = folder.file("npx");
  await writeFile(npx, `#!/bin/sh\necho "$@" >> "${folder.file("asked")}"\n`, { mode: 0o755 });
  await run("rm", ["-r", folder.file("node_modules")]);
  const { runs } = parse(await readFile(join(root, "action.yml"), "utf8")) as { runs: { steps: readonly Step[] } };
  const script = runs.steps.find(({ id }) => id === "evaluate")?.run ?? "";
  const asked = async (PACKAGE: string) => {
    const env = {
      PATH: `${folder.path}:${process.env["PATH"] ?? ""}`,
      PACKAGE,
      OUTPUT_FOLDER: folder.file("out"),
      GITHUB_OUTPUT: folder.file("output"),
    };
    await writeFile(folder.file("asked"), "");
    await run("bash", ["-eo", "pipefail", "-c", script], { cwd: folder.path, env });
    return (await readFile(folder.file("asked"), "utf8")).split("\n")[0];
  };
  expect(await asked("")).toBe("--yes --package=rehearsal-eval -- rehearsal --version");
  expect(await asked("rehearsal-eval@0.3.0")).toBe("--yes --package=rehearsal-eval@0.3.0 -- rehearsal --version");
});
