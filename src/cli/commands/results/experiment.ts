import type { Command } from "commander";
import { withSource, type SourceOptions } from "../../options/shared-options.ts";
import { CliError } from "../../terminal/cli-error.ts";
import { openSource } from "../../sources/open-source.ts";
import { resolveRunId } from "../../sources/run-source.ts";
import { experimentMarkdown, experimentText } from "../../reporters/experiment-text.ts";
import { outputWidth, printJson, printMessage } from "../../terminal/output.ts";

interface ExperimentCommandOptions extends SourceOptions {
  readonly score?: string;
  readonly markdown?: boolean;
  readonly json?: boolean;
}

/** `rehearsal experiment` */
export function declare(command: Command): void {
  withSource(command.argument("[run]", "id of the experiment or of one of its runs, part of it, or latest", "latest"))
    .option("--score <name>", "score to compare the variants by (default: overall)")
    .option("--markdown", "print Markdown tables")
    .option("--json", "print the experiment as one JSON object")
    .action(showExperiment);
}

async function showExperiment(
  named: string,
  { score, markdown, json, ...where }: ExperimentCommandOptions,
): Promise<void> {
  if (json && markdown) throw new CliError("--json and --markdown cannot be combined: choose one");
  await using source = await openSource(where);
  const experiment = await source.experiment(await resolveRunId(source, named), { score });
  if (json) return printJson(experiment);
  printMessage(markdown ? experimentMarkdown(experiment) : experimentText(experiment, outputWidth()));
}
