import type { Command } from "commander";
import { askTarget } from "../init/ask-target.ts";
import { starterFiles } from "../init/starter-files.ts";
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
    .option("-m, --model <id>", "model to test (default: demo/retrieval)")
    .option("--json", "print what was written as one JSON object")
    .action(init);
}

async function init(folder: string, { yes, endpoint, model, json }: InitOptions): Promise<void> {
  const given = { endpoint, model };
  const target = yes || json || !personIsAtTheTerminal() ? given : await askTarget(given);
  const { written, kept } = await writeNewFiles(folder, starterFiles(target));
  if (json) return printJson({ written, kept });
  for (const file of written) printLine(`wrote ${file}`);
  for (const file of kept) note(`kept ${file}, which was there`);
  note(`\nNext: ${folder === "." ? "" : `cd ${folder} && `}npx rehearsal eval`);
}
