import type { Command } from "commander";
import { scoreText } from "../../formats/export/score-text.ts";
import { createInterruption } from "../eval/interruption.ts";
import { withSource, type SourceOptions } from "../options.ts";
import { findRun } from "../sources/find-run.ts";
import { openSource } from "../sources/open-source.ts";
import { printJson, printLine } from "../terminal/output.ts";

interface RescoreOptions extends SourceOptions {
  readonly askModels?: boolean;
  readonly json?: boolean;
}

/** `rehearsal rescore` */
export function declare(command: Command): void {
  withSource(command.argument("[run]", "id of the run, part of it, a test's name, or latest", "latest"))
    .option("--ask-models", "ask judge, labeller and embedder again, which calls models")
    .option("--json", "print the run as one JSON object")
    .action(rescore);
}

async function rescore(text: string, { askModels = false, json, ...where }: RescoreOptions): Promise<void> {
  await using source = await openSource(where);
  const id = await findRun(source, text);
  const before = (await source.get(id)).summary?.average_scores["overall"];
  const { signal, stop } = createInterruption();
  const run = await source.rescore(id, { askModels, signal });
  stop();
  if (json) printJson(run);
  else printLine(`${id} overall ${scoreText(before)} → ${scoreText(run.summary?.average_scores["overall"])}`);
}
