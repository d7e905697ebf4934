import type { Command } from "commander";
import { scoreText } from "../../../formats/export/results/report-text.ts";
import { CliError, exitCodes } from "../../terminal/cli-error.ts";
import { createInterruption } from "../../process/stop-signals.ts";
import { evalOptions } from "../../options/eval-options.ts";
import { addOptions, type OptionTable, type OptionValues } from "../../options/option-table.ts";
import { sourceOptions, type SourceOptions } from "../../options/shared-options.ts";
import { resolveRunId } from "../../sources/run-source.ts";
import { openSource } from "../../sources/open-source.ts";
import { printJson, printLine } from "../../terminal/output.ts";

const rescoreOptions = {
  ...sourceOptions,
  config: {
    flags: evalOptions.config.flags,
    help: "score with this configuration and the current expectations of its scenario files",
  },
  allowFiles: evalOptions.allowFiles,
  askModels: { flags: "--ask-models", help: "call judge, labeller and embedder again" },
  json: { flags: evalOptions.json.flags, help: "print the run as one JSON object" },
} as const satisfies OptionTable;

/** `rehearsal runs rescore` */
export function declare(command: Command): void {
  command.argument("[run]", "id of the run, part of it, a test's name, or latest", "latest");
  addOptions(command, rescoreOptions).action(rescore);
}

async function rescore(
  text: string,
  { askModels = false, allowFiles, config, json, ...typed }: OptionValues<typeof rescoreOptions>,
): Promise<void> {
  const { replace, where } =
    config === undefined ? { replace: {}, where: typed } : await configured(config, { ...typed, allowFiles });
  await using source = await openSource(where);
  const id = await resolveRunId(source, text);
  const before = (await source.get(id)).summary?.average_scores["overall"];
  const { signal, stop } = createInterruption();
  const run = await source.rescore(id, { askModels, replace, signal }).catch((cause: unknown) => {
    if (!signal.aborted) throw cause;
    const message = `interrupted; some turns of ${id} may keep their old scores. Run the same command again to finish.`;
    throw new CliError(message, exitCodes.interrupted, { cause });
  });
  stop();
  if (json) printJson(run);
  else printLine(`${id} overall ${scoreText(before)} → ${scoreText(run.summary?.average_scores["overall"])}`);
}

/** Loads the scenario readers only when `--config` is used. */
async function configured(config: string, where: SourceOptions & { readonly allowFiles: boolean | undefined }) {
  const { configuredScoring } = await import("../../eval/load-scenarios.ts");
  return configuredScoring(config, where);
}
