import { execFile } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { createProgram, declareOnce } from "../../src/cli/program.ts";
import { readSettings } from "../../src/settings.ts";
import { variables } from "../../src/settings/variables.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const manifests = globSync("deploy/kubernetes/*.yaml", { cwd: root });

interface Step {
  readonly run?: string;
  readonly with?: { readonly script?: string };
  readonly env?: Readonly<Record<string, string>>;
}

test("the image does not run as root, copies files that exist, and gets no secrets", () => {
  const dockerfile = read("Dockerfile");
  expect(dockerfile).toMatch(/^USER node$/m);
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, from = ""]) => from.split(" "));
  expect(copied.length).toBeGreaterThan(0);
  expect(copied.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(read(".dockerignore").split("\n")).toContain(".env*");
});

test("compose publishes ports on this machine only", () => {
  const services: Record<string, { readonly ports?: readonly string[] }> = parse(read("compose.yaml"), {
    merge: true,
  }).services;
  const ports = Object.values(services).flatMap((service) => service.ports ?? []);
  expect(ports.length).toBeGreaterThan(0);
  expect(ports.filter((port) => !port.startsWith("127.0.0.1:"))).toEqual([]);
  expect(services["database"]).not.toHaveProperty("ports");
});

test("the stop timeout of a container is longer than its own grace time", () => {
  const { http } = readSettings({}).settings;
  const { services } = parse(read("compose.yaml"), { merge: true });
  const documents = manifests.flatMap((file) => parseAllDocuments(read(file)).map((document) => document.toJS()));
  const seconds = [
    ...[services.service, services.worker].map(({ stop_grace_period }) => Number.parseInt(stop_grace_period)),
    ...documents.flatMap(({ spec }) => spec?.template?.spec.terminationGracePeriodSeconds ?? []),
  ];
  expect(seconds).toHaveLength(4);
  expect(Math.min(...seconds) * 1_000).toBeGreaterThan(http.shutdownGraceMs);
});

test("every variable that is set anywhere exists and has a usable value", () => {
  const known = new Set(variables.map(({ name }) => name));
  const { services } = parse(read("compose.yaml"), { merge: true });
  for (const name of ["service", "worker"]) {
    const environment: Record<string, string> = services[name].environment;
    expect(Object.keys(environment).filter((key) => !known.has(key))).toEqual([]);
    const plain = Object.fromEntries(Object.entries(environment).filter(([, value]) => !value.includes("${")));
    const image = { REHEARSAL_HOST: "0.0.0.0", REHEARSAL_API_KEYS: `ci:${"0".repeat(64)}:evaluate` };
    const { warnings } = readSettings({ ...image, ...plain, DATABASE_URL: "postgres://u:p@database/r" });
    expect(warnings).toEqual([]);
  }
  const named = [
    ...manifests
      .map(read)
      .join("\n")
      .matchAll(/name: ([A-Z][A-Z_]+)/g),
  ].map((match) => match[1] ?? "");
  expect(named.filter((key) => !known.has(key))).toEqual([]);
});

test("compose hands on what the guide says of providers, to the services and the workers", () => {
  const rows = read("docs/start.md").match(/^\| `(HUB|STUDIO|EVAL|OPENAI)_[^|]*/gm) ?? [];
  const named = new Set(rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map((match) => match[1] ?? "")));
  expect(named.size).toBeGreaterThan(10);
  const { services } = parse(read("compose.yaml"), { merge: true });
  for (const name of ["service", "worker"]) {
    expect(Object.keys(services[name].environment)).toEqual(expect.arrayContaining([...named]));
  }
});

test("the manifests keep to the restricted pod security standard", () => {
  const documents = manifests.flatMap((file) => parseAllDocuments(read(file)).map((document) => document.toJS()));
  const deployments = documents.filter(({ kind }) => kind === "Deployment");
  expect(deployments.length).toBeGreaterThan(1);
  for (const { spec } of deployments) {
    const pod = spec.template.spec;
    expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
    for (const { securityContext } of pod.containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
    }
  }
});

test("the action passes inputs as variables only, and uses options that exist", async () => {
  const { inputs, runs } = parse(read("action.yml"));
  const steps: readonly Step[] = runs.steps;
  for (const step of steps) expect((step.run ?? "") + (step.with?.script ?? "")).not.toContain("${{");
  const used = [...read("action.yml").matchAll(/inputs\.([a-z-]+)/g)].map((match) => match[1]);
  expect(new Set(used)).toEqual(new Set(Object.keys(inputs)));

  const program = createProgram();
  const command = program.commands.find((candidate) => candidate.name() === "eval");
  if (command) await declareOnce(command);
  const known = command?.options.flatMap(({ short, long }) => [short, long]) ?? [];
  const script = steps.map(({ run }) => run ?? "").join("\n");
  const options = [...(script.split("rehearsal eval ")[1] ?? "").split("||")[0]!.matchAll(/ (-{1,2}[a-z]+)/g)].map(
    (match) => match[1],
  );
  expect(options.length).toBeGreaterThan(0);
  for (const option of options) expect(known).toContain(option);
});

test.each([
  ["rehearsal", "<!-- rehearsal -->"],
  ["rehearsal-support", "<!-- rehearsal: rehearsal-support -->"],
])("the comment of the action named %s holds the summary of every model, and is written once", async (NAME, marker) => {
  await using folder = await temporaryFolder();
  for (const number of [10, 2, 1]) await writeFile(folder.file(`summary-${number}.md`), `model ${number}\n`);
  await writeFile(folder.file("results-1.json"), "{}");
  const others = [
    { id: 1, body: "Well done", user: bot },
    { id: 3, body: "<!-- rehearsal: another -->", user: bot },
    { id: 4, body: `${marker}\nof a stranger`, user: { login: "mallory", type: "User" } },
    { id: 5, body: `${marker}\nof another app`, user: { login: "other[bot]", type: "Bot" } },
    { id: 6, body: `${marker}\nof a deleted user`, user: null },
  ];
  const comments = [...others];
  for (let time = 0; time < 2; time += 1) await writeComment(comments, { OUTPUT_FOLDER: folder.path, NAME });
  expect(comments).toEqual([...others, { id: 2, body: `${marker}\nmodel 1\n\nmodel 2\n\nmodel 10\n`, user: bot }]);
});

test("a comment that is too long for GitHub ends with a whole row", async () => {
  await using folder = await temporaryFolder();
  const row = `| \`${"@somebody ".repeat(18)}\` | passed |\n`;
  await writeFile(folder.file("summary.md"), row.repeat(400));
  const comments: Comment[] = [];
  await writeComment(comments, { OUTPUT_FOLDER: folder.path, NAME: "rehearsal" });
  const body = comments[0]?.body ?? "";
  expect(body.length).toBeGreaterThan(59_000);
  expect(body.length).toBeLessThanOrEqual(60_000);
  expect(`${body}\n`.endsWith(row)).toBe(true);
});

interface Comment {
  readonly id: number;
  readonly body: string;
  readonly user: { readonly login: string; readonly type: string } | null;
}

const bot = { login: "github-actions[bot]", type: "Bot" };

/** Runs the step of the action that comments, on a pull request with these comments. */
async function writeComment(comments: Comment[], env: Record<string, string>): Promise<void> {
  const { runs } = parse(read("action.yml"));
  const script = (runs.steps as readonly Step[]).find((step) => step.with?.script)?.with?.script ?? "";
  const issues = {
    listComments: () => {},
    createComment: async ({ body }: { body: string }) => comments.push({ id: 2, body, user: bot }),
    updateComment: async ({ comment_id, body }: { comment_id: number; body: string }) =>
      Object.assign(comments.find(({ id }) => id === comment_id) ?? {}, { body }),
  };
  const github = { rest: { issues }, paginate: async () => comments };
  const context = { repo: { owner: "o", repo: "r" }, issue: { number: 1 } };
  const comment = runInNewContext(`(async (require, process, github, context) => {${script}})`);
  await comment(createRequire(import.meta.url), { env }, github, context);
}

function evaluateScript(): string {
  const { runs } = parse(read("action.yml"));
  return (runs.steps as readonly Step[]).map(({ run }) => run).find((text) => text?.includes("npx")) ?? "";
}

test.each([
  ["not to be had", "exit 1", 2, /^::error::Rehearsal cannot be started\. Install rehearsal-eval/],
  ["there, and a target is not", 'case "$*" in *--version) echo 0.1.0 ;; *) exit 3 ;; esac', 3, /^$/],
])("the action says when Rehearsal is %s", async (_name, npx, code, said) => {
  await using folder = await temporaryFolder();
  await writeFile(folder.file("npx"), `#!/bin/sh\n${npx}\n`, { mode: 0o755 });
  const env = {
    PATH: `${folder.path}:${process.env["PATH"] ?? ""}`,
    OUTPUT_FOLDER: folder.file("out"),
    GITHUB_OUTPUT: folder.file("outputs"),
  };
  const { stdout } = await promisify(execFile)("bash", ["-eo", "pipefail", "-c", evaluateScript()], { env });
  expect(stdout).toMatch(said);
  expect(readFileSync(folder.file("outputs"), "utf8")).toMatch(new RegExp(`^exit-code=${code}\n`));
});

test("the action's inputs are a word for each line, without the blanks around it", async () => {
  await using folder = await temporaryFolder();
  await writeFile(folder.file("npx"), `#!/bin/sh\nprintf '%s\\n' "$@" > "${folder.file("given")}"\n`, { mode: 0o755 });
  const env = {
    PATH: `${folder.path}:${process.env["PATH"] ?? ""}`,
    OUTPUT_FOLDER: folder.file("out"),
    GITHUB_OUTPUT: folder.file("outputs"),
    SCENARIO_FILES: "a b.yaml \n\n  c.yaml\r\n",
    MORE_ARGUMENTS: "--gate=overall>=0.8\t\n",
  };
  await promisify(execFile)("bash", ["-eo", "pipefail", "-c", evaluateScript()], { env });
  const given = readFileSync(folder.file("given"), "utf8").split("\n");
  expect(given.slice(given.indexOf("eval") + 1, given.indexOf("-o"))).toEqual([
    "a b.yaml",
    "c.yaml",
    "--gate=overall>=0.8",
  ]);
});
