import { readFile } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import type { Command } from "commander";
import { CliError } from "../cli-error.ts";
import { checkEndpoint, ownAgent } from "../config/endpoint.ts";
import { askTarget, type Target } from "../init/ask-target.ts";
import { nextCommand, thisCall } from "../next-command.ts";
import { repositoryRoot } from "../init/repository-root.ts";
import { privateNames, starterFiles, workflowFile } from "../init/starter-files.ts";
import { writeNewFiles } from "../init/write-new-files.ts";
import { note, personIsAtTheTerminal, printJson, printLine } from "../terminal/output.ts";

interface InitOptions {
  readonly yes?: boolean;
  readonly endpoint?: string;
  readonly model?: string;
  readonly json?: boolean;
}

/** `rehearsal init` */
export function declare(command: Command): void {
  command
    .argument("[folder]", "where to write", ".")
    .option("-y, --yes", "ask nothing")
    .option("--endpoint <url>", "model endpoint to test (default: agent, Rehearsal's own agent backend)")
    .option("-m, --model <id>", "model to test (default, without an endpoint: demo/retrieval)")
    .option("--json", "print what was written as one JSON object")
    .action(init);
}

async function init(folder: string, { yes, endpoint, model, json }: InitOptions): Promise<void> {
  const given = { endpoint, model };
  const target = yes || json || !personIsAtTheTerminal() ? given : await askTarget(given);
  checkTarget(target);
  const own = await writeNewFiles(folder, starterFiles(target));
  const root = repositoryRoot(folder);
  const place = relative(root, resolve(folder)).split(sep).join("/");
  const shared = await writeNewFiles(relative(process.cwd(), root), workflowFile(place));
  const [written, kept] = [
    [...own.written, ...shared.written],
    [...own.kept, ...shared.kept],
  ];
  if (json) return printJson({ written, kept });
  for (const file of written) printLine(`wrote ${file}`);
  for (const file of kept) note(`kept ${file}, which was there`);
  await tellOfPrivate(join(folder, ".gitignore"));
  note(`\nNext: ${nextCommand(folder, "eval", thisCall())}`);
}

/** The demo's model is our own agent's: no other endpoint has it. */
function checkTarget({ endpoint = ownAgent, model }: Target): void {
  checkEndpoint(endpoint);
  if (endpoint !== ownAgent && model === undefined)
    throw new CliError(`which model? Give --model: its name at ${endpoint}`);
}

/** A .gitignore that was there stays as it is, and may let keys and conversations into the repository. */
async function tellOfPrivate(file: string): Promise<void> {
  const lines = (await readFile(file, "utf8")).split(/\r?\n/).map((line) => line.trim().replace(/^\/|\/$/g, ""));
  const open = privateNames.filter((name) => !lines.includes(name.replace(/\/$/, "")));
  if (open.length > 0) note(`Add ${open.join(" and ")} to ${file}: they hold runs and keys.`);
}
