import type { Command } from "commander";
import { scoreText } from "../../formats/export/results/report-text.ts";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { createInterruption } from "../eval/interruption.ts";
import { withSource, type SourceOptions } from "../options.ts";
import { findRun } from "../sources/find-run.ts";
import { openSource } from "../sources/open-source.ts";
import { printJson, printLine } from "../terminal/output.ts";

interface RescoreOptions extends SourceOptions {
  readonly config?: string;
  readonly askModels?: boolean;
  readonly json?: boolean;
}

/** `rehearsal rescore` */
export function declare(command: Command): void {
  withSource(command.argument("[run]", "id of the run, part of it, a test's name, or latest", "latest"))
    .option("-c, --config <file>", "score it by this configuration and what its scenario files expect now")
    .option("--ask-models", "ask judge, labeller and embedder again, which calls models")
    .option("--json", "print the run as one JSON object")
    .action(rescore);
}

async function rescore(text: string, { askModels = false, config, json, ...typed }: RescoreOptions): Promise<void> {
  const { replace, where } = config === undefined ? { replace: {}, where: typed } : await configured(config, typed);
  await using source = await openSource(where);
  const id = await findRun(source, text);
  const before = (await source.get(id)).summary?.average_scores["overall"];
  const { signal, stop } = createInterruption();
  const run = await source.rescore(id, { askModels, replace, signal }).catch((cause: unknown) => {
    if (!signal.aborted) throw cause;
    const message = `interrupted; some turns of ${id} may be scored as before: the same again completes it`;
    throw new CliError(message, exitCodes.interrupted, { cause });
  });
  stop();
  if (json) printJson(run);
  else printLine(`${id} overall ${scoreText(before)} → ${scoreText(run.summary?.average_scores["overall"])}`);
}

/** Loaded only where it is asked for. */
async function configured(config: string, where: SourceOptions) {
  const { configuredScoring } = await import("../eval/configured-scoring.ts");
  return configuredScoring(config, where);
}
