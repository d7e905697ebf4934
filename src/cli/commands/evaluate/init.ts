import { existsSync } from "node:fs";
import { mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import { Option, type Command } from "commander";
import { stringify } from "yaml";
import { isEndpoint, ownAgent, requireEndpoint } from "../../options/addresses.ts";
import { CliError, exitCodes } from "../../terminal/cli-error.ts";
import { cannotWrite } from "../../terminal/files.ts";
import { nextCommand, thisCall } from "../../terminal/next-command.ts";
import { isInteractive, note, printJson, printLine } from "../../terminal/output.ts";
import { version } from "../../terminal/version.ts";
import { jsonSchemaOf } from "../files/schema.ts";
import { detectProject, projectSteps, projectTest, type Project } from "./init-project.ts";

interface InitOptions {
  readonly yes?: boolean;
  readonly endpoint?: string;
  readonly model?: string;
  readonly example?: Example;
  readonly json?: boolean;
}

const examples = ["replies", "agent"] as const;
type Example = (typeof examples)[number];

/** `rehearsal init` */
export function declare(command: Command): void {
  command
    .argument("[folder]", "folder to write to", ".")
    .option("-y, --yes", "ask nothing")
    .option("--endpoint <url>", "model endpoint to test (default: agent, Rehearsal's own agent backend)")
    .option("-m, --model <id>", "model to test (default, without an endpoint: a demo model)")
    .addOption(
      new Option("--example <kind>", "scenarios to start with: replies, or an agent with tools").choices(examples),
    )
    .option("--json", "print the written files as one JSON object")
    .action(init);
}

async function init(folder: string, { yes, json, ...given }: InitOptions): Promise<void> {
  const target = yes || json || !isInteractive() ? given : await askTarget(given);
  requireTarget(target);
  const files = target.example === "agent" ? await agentFiles(target) : starterFiles(target);
  const own = await writeNewFiles(folder, files);
  const root = repositoryRoot(folder);
  const place = relative(root, resolve(folder)).split(sep).join("/");
  const project = await detectProject(folder);
  const test = await writeNewFiles(folder, project ? projectTest(project) : {});
  const shared = await writeNewFiles(relative(process.cwd(), root), workflowFile(place, project));
  const [written, kept] = [
    [...own.written, ...test.written, ...shared.written],
    [...own.kept, ...test.kept, ...shared.kept],
  ];
  if (json) return printJson({ written, kept, ...(project && { project }) });
  if (project)
    note(`found a ${[project.language, project.framework, project.runner].filter(Boolean).join(", ")} project`);
  for (const file of written) printLine(`wrote ${file}`);
  for (const file of kept) note(`kept ${file}, which already existed`);
  await warnAboutGitignore(join(folder, ".gitignore"));
  note(`\nNext: ${nextCommand(folder, "eval", thisCall())}`);
  if (target.example === "agent" && target.model === undefined)
    note(
      "The demo agent makes a mistake, so this ends with exit code 1: it pays back 40 euros where 10 were asked for.",
    );
}

/** Only our own agent has a default model. */
function requireTarget({ endpoint = ownAgent, model }: InitTarget): void {
  requireEndpoint(endpoint);
  if (endpoint !== ownAgent && model === undefined)
    throw new CliError(`no model was given: use --model with a model of ${endpoint}`);
}

/** An existing .gitignore is not changed, so it may let keys and conversations into the repository. */
async function warnAboutGitignore(file: string): Promise<void> {
  const lines = (await readFile(file, "utf8")).split(/\r?\n/).map((line) => line.trim().replace(/^\/|\/$/g, ""));
  const open = privateNames.filter((name) => !lines.includes(name.replace(/\/$/, "")));
  if (open.length > 0) note(`Add ${open.join(" and ")} to ${file}: they hold runs and keys.`);
}

interface InitTarget {
  readonly endpoint?: string | undefined;
  readonly model?: string | undefined;
  readonly example?: Example | undefined;
}

interface Terminal {
  readonly input?: NodeJS.ReadableStream;
  readonly output?: NodeJS.WritableStream;
}

/** Asks for missing values until they are valid. An empty endpoint selects the demo; Ctrl-C and Ctrl-D end the command. */
export async function askTarget(
  { endpoint, model, example }: InitTarget,
  { input = process.stdin, output = process.stderr }: Terminal = {},
): Promise<InitTarget> {
  const lines = createInterface({ input, output });
  async function ask(question: string, isUsable: (answer: string) => boolean): Promise<string> {
    const answer = (await lines.question(question)).trim();
    return isUsable(answer) ? answer : ask(question, isUsable);
  }
  try {
    const address =
      endpoint ??
      (await ask(
        "Model endpoint to test, such as https://api.example.com/v1 (empty: the built-in demo) ",
        (answer) => answer === "" || isEndpoint(answer),
      ));
    const isOwn = address === "" || address === ownAgent;
    const name = model ?? (address === "" ? "" : await ask("Model ", (answer) => isOwn || answer !== ""));
    const kinds: readonly string[] = ["", ...examples];
    const kind =
      example ??
      (await ask("Example scenarios: replies or agent, which has tools (empty: replies) ", (answer) =>
        kinds.includes(answer),
      ));
    return {
      endpoint: address || undefined,
      model: name || undefined,
      example: examples.find((known) => known === kind),
    };
  } catch (cause) {
    if ((cause as Error).name !== "AbortError") throw cause;
    output.write("\n");
    throw new CliError("interrupted; nothing was written", exitCodes.interrupted, { cause });
  } finally {
    lines.close();
  }
}

/** Writes files that do not exist yet. Existing ones are the user's work and stay. */
async function writeNewFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<{ written: string[]; kept: string[] }> {
  const written: string[] = [];
  const kept: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeNewFile(path, text);
      written.push(path);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cannotWrite(path, cause);
      kept.push(path);
    }
  }
  return { written, kept };
}

/** Removes a partly written file, as on a full disk: the next `init` would keep it as the user's work. */
async function writeNewFile(path: string, text: string): Promise<void> {
  await using file = await open(path, "wx");
  try {
    await file.writeFile(text);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** The repository that contains a folder, where GitHub looks for workflows; the folder itself if there is none. */
function repositoryRoot(folder: string): string {
  const start = resolve(folder);
  for (let place = start; ; place = dirname(place)) {
    if (existsSync(join(place, ".git"))) return place;
    if (place === dirname(place)) return start;
  }
}

/** The files `rehearsal init` writes, by name. They run unchanged: the demo models need no key. */
export function starterFiles({ endpoint = "agent", model = "demo/retrieval" }: InitTarget): Record<string, string> {
  return {
    "rehearsal.yaml": config(endpoint, model),
    "rehearsal.schema.json": `${JSON.stringify(jsonSchemaOf("config"), null, 2)}\n`,
    "scenarios/refund.yaml": refund,
    "scenarios/delivery-time.yaml": delivery,
    ".env.example": environment,
    ".gitignore": gitIgnore,
  };
}

const agentExample = new URL("../../../../examples/agent/", import.meta.url);

/** The files of an agent that acts in a world. They run unchanged too: the demo model knows these tools. */
async function agentFiles({
  endpoint = ownAgent,
  model = "demo/scripted",
}: InitTarget): Promise<Record<string, string>> {
  const read = (name: string): Promise<string> => readFile(fileURLToPath(new URL(name, agentExample)), "utf8");
  const names = (await readdir(new URL("scenarios/", agentExample))).toSorted();
  const scenarios = await Promise.all(
    names.map(async (name) => [`scenarios/${name}`, await read(`scenarios/${name}`)]),
  );
  const {
    "rehearsal.yaml": _,
    "scenarios/refund.yaml": _refund,
    "scenarios/delivery-time.yaml": _time,
    ...others
  } = starterFiles({ endpoint, model });
  const target = stringify({ endpoint, model });
  return {
    "rehearsal.yaml": (await read("rehearsal.yaml")).replace(/^endpoint: .*\nmodel: .*\n/m, () => target),
    ...(Object.fromEntries(scenarios) as Record<string, string>),
    ...others,
  };
}

const config = (endpoint: string, model: string): string => `# yaml-language-server: $schema=./rehearsal.schema.json
# Every key: rehearsal schema config. \${NAME} and \${NAME:-default} are taken from the environment.
name: support
scenarios: scenarios/
# agent is Rehearsal's own agent backend; any OpenAI-compatible address works too.
${stringify({ endpoint, model })}attempts: 3
# Every scenario has to pass, unless gates say what is needed instead:
# gates:
#   - pass^3>=0.9
#   - outcome.ci_lower>=0.8
`;

const refund = `id: refund
description: A customer wants money back and asks how long it takes.
tags: [refund]
interactions:
  - id: asks-for-refund
    user_message: I want my money back for order 1042.
    # Shown beside the reply. Other words may be as good, so the checks decide.
    reference_reply: I can help with that. Your refund for order 1042 arrives within 5 working days.
    checks:
      - { type: contains, text: 5 working days }
  - id: says-thanks
    user_message: Great, thank you!
    reference_reply: You are welcome. Is there anything else I can do for you?
    checks:
      - { type: contains, text: welcome }
expect:
  checks: all
`;

const delivery = `id: delivery-time
description: A customer asks when the parcel comes.
tags: [delivery]
interactions:
  - id: asks-when
    user_message: How long does delivery take?
    reference_reply: Delivery takes 2 to 4 working days.
    checks:
      - { type: contains, text: 2 to 4 working days }
expect:
  checks: all
`;

const environment = `# Copy to .env. Keys are sent to the place they belong to and nowhere else.
# OPENAI_API_KEY=
# ANTHROPIC_API_KEY=
# EVAL_ENDPOINT_ORIGIN=https://models.example.com
# EVAL_ENDPOINT_API_KEY=
`;

/** Names for .gitignore: the data folder holds runs and keys. */
const privateNames = [".rehearsal/", ".env"] as const;

const gitIgnore = `${privateNames.join("\n")}\n`;

/** The CI workflow, by its path in the repository. `folder` holds the configuration; "" is the root. */
export function workflowFile(folder: string, project: Project | null = null): Record<string, string> {
  return { ".github/workflows/rehearsal.yml": workflow(folder, project) };
}

const results = ["results.json", "report.html", "junit.xml"];

/** With several models, each run's number is part of the file name. */
const anyNumber = (name: string): string => name.replace(".", "*.");

/** The version that wrote the workflow; between releases there is none of that number. */
const published = version.includes("-") ? "rehearsal-eval" : `rehearsal-eval@${version}`;

const commandSteps = (folder: string): string => `      - uses: actions/setup-node@v5
        with:
          node-version: 22
      # With rehearsal-eval in your devDependencies, use npm ci here, and npx --no -- rehearsal below.
      - run: npx --yes --package=${published} -- rehearsal eval ${results.map((name) => `-o ${name}`).join(" ")}
      - uses: actions/upload-artifact@v5
        if: always()
        with:
          name: rehearsal
          path: |
${results.map((name) => `            ${folder === "" ? "" : `${folder}/`}${anyNumber(name)}`).join("\n")}
`;

const workflow = (folder: string, project: Project | null): string => `name: rehearsal
on: pull_request
permissions:
  contents: read
jobs:
  evaluate:
    runs-on: ubuntu-latest
${folder === "" ? "" : `    defaults:\n      run:\n        working-directory: ${JSON.stringify(folder)}\n`}    steps:
      - uses: actions/checkout@v5
${project ? projectSteps(project) : commandSteps(folder)}`;
