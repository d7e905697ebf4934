import { compact } from "../../base/compact.ts";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { CliError } from "../terminal/cli-error.ts";
import { cannotWrite, writeWholeFile, outputFile } from "../terminal/files.ts";
import { ownCommand } from "../terminal/next-command.ts";
import { prepareSending, type Destination } from "./destinations.ts";
import { note, printJson, printLine, printMessage, printResults } from "../terminal/output.ts";
import { rankingMarkdown, rankingOf, testNames } from "./ranking-text.ts";
import { formatOfFile, renderOutcome, toJudgedRun, withResponse } from "./render-results.ts";
import { experimentMarkdown } from "./experiment-text.ts";
import { nameAmongRuns, type CommandEnd, type Reporter, type RunOutcome } from "./reporter.ts";

export function jsonReporter(): Reporter {
  return { onFinish: async (outcomes, end) => printJson(await toResultDocument(outcomes, end)) };
}

/** Prints JUnit, Markdown or HTML to stdout. Only Markdown can hold several runs. */
export function textReporter(format: "junit" | "markdown" | "html"): Reporter {
  return {
    async onEnd(outcome, { number }) {
      if (number > 1) printLine("");
      printResults(await renderOutcome(await withResponse(outcome), format), format);
    },
    async onFinish(outcomes, { experiment }) {
      if (experiment) return printMessage(`\n## Variants\n\n${experimentMarkdown(experiment)}`);
      const ranking = await rankingOf(outcomes);
      if (ranking)
        printMessage(`\n## Ranking\n\n${rankingMarkdown(ranking, testNames(outcomes.map(({ digest }) => digest)))}`);
    },
  };
}

/** The document of `rehearsal eval --json`: every run's results and gates, and the exit code. */
async function toResultDocument(
  outcomes: readonly RunOutcome[],
  { exitCode, experiment }: CommandEnd,
): Promise<object> {
  const ranking = experiment ? experiment.ranking : await rankingOf(outcomes);
  return compact({
    runs: (await Promise.all(outcomes.map(withResponse))).map(toJudgedRun),
    ranking: ranking ?? undefined,
    experiment: experiment ?? undefined,
    passed: exitCode === 0,
    exit_code: exitCode,
  });
}

/** Writes the results to a file; the extension selects the format. */
export function fileReporter(file: string): Reporter {
  const format = formatOfFile(file);
  requireWritable(file);
  return {
    // Written as each run ends, so that a later interruption loses nothing.
    async onEnd(outcome, place) {
      const path = outputFile(file, place);
      // JUnit collectors merge files and distinguish cases only by these names.
      const whole = await withResponse(outcome);
      // The test of a variant is named after it.
      const { test_name: given } = whole.response;
      const test_name = outcome.variant ? given : nameAmongRuns(given, whole.response, place);
      const response = format === "junit" ? { ...whole.response, test_name } : whole.response;
      await writeWholeFile(path, await renderOutcome({ ...whole, response }, format));
      note(`wrote ${path}`);
    },
  };
}

/** Refuses an unwritable path before the run, which may take hours and cost money. */
function requireWritable(path: string): void {
  if (existsSync(path) && statSync(path).isDirectory()) throw new CliError(`${path} cannot be written: it is a folder`);
  let folder = dirname(resolve(path));
  while (!existsSync(folder)) folder = dirname(folder);
  if (!statSync(folder).isDirectory()) throw new CliError(`${path} cannot be written: ${folder} is a file`);
  try {
    accessSync(existsSync(path) ? path : folder, constants.W_OK);
  } catch (cause) {
    throw cannotWrite(path, cause);
  }
}

/** Sends the results to a telemetry service. A failure is reported but does not change the exit code: the results are stored. */
export function destinationReporter(destination: Destination): Reporter {
  const send = prepareSending(destination);
  return {
    async onEnd({ digest: { run_id }, results }) {
      try {
        await send(await results());
        note(`sent to ${destination}`);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        note(
          `rehearsal: ${reason} (send them again with: ${ownCommand("runs export", run_id, "--send", destination)})`,
        );
      }
    },
  };
}
