import { Option, type Command } from "commander";
import type { EvaluationResponse } from "../../../contract/schemas/evaluation-response.ts";
import { CliError } from "../../terminal/cli-error.ts";
import { collect, collectList } from "../../options/parsers.ts";
import { withForce, withSource, type SourceOptions } from "../../options/shared-options.ts";
import { loadEnvironment } from "../../config/load-settings.ts";
import { formatOfFile, renderFormats, renderResults } from "../../reporters/render-results.ts";
import { openSource } from "../../sources/open-source.ts";
import { loadResults } from "../../sources/read-results.ts";
import { destinations, prepareSending, type Destination } from "../../reporters/destinations.ts";
import { note, printJson, printResults } from "../../terminal/output.ts";
import { refuseOverwrite, writeWholeFile } from "../../terminal/files.ts";

interface ReportOptions extends SourceOptions {
  readonly output?: readonly string[];
  readonly html?: string;
  readonly format?: string;
  readonly send?: readonly string[];
  readonly json?: boolean;
  readonly force?: boolean;
}

/** `rehearsal runs export` */
export function declare(command: Command): void {
  withSource(command.argument("[run]", "id of the run, part of it, a test's name, latest, or a results file", "latest"))
    .option("-o, --output <file>", "write to this file; the extension selects the format (repeatable)", collect)
    .option("--html <file>", "write the run with the page's viewer to one file")
    .addOption(
      new Option("--send <places>", "destinations to send the run to (comma separated)")
        .choices(destinations)
        .argParser(collectList),
    )
    .addOption(new Option("-f, --format <format>", "print in this format (default: markdown)").choices(renderFormats))
    .option("--json", "print the results as one JSON object; with -o, --html or --send, the files and destinations")
    .action(writeReport);
  withForce(command);
}

async function writeReport(text: string, options: ReportOptions): Promise<void> {
  const { output = [], html, format, send = [], json = false, force = false, ...where } = options;
  if (json && format !== undefined) throw new CliError("--json and --format cannot be combined: choose one");
  const files = output.map((file) => ({ file, format: format ?? formatOfFile(file) }));
  if (html !== undefined) files.push({ file: html, format: "html" });
  for (const { file } of files) await refuseOverwrite(file, { force });
  loadEnvironment(where.envFile);
  const places = send.map((place) => ({ place, sendTo: prepareSending(parseDestination(place)) }));
  await using source = await openSource(where);
  const response = await loadResults(source, text);
  for (const entry of files) {
    await writeWholeFile(entry.file, await render(response, entry.format));
    note(`wrote ${entry.file}`);
  }
  for (const { place, sendTo } of places) {
    await sendTo(response);
    note(`sent to ${place}`);
  }
  const elsewhere = files.length + places.length > 0;
  const written = files.map(({ file }) => file);
  if (json) printJson(elsewhere ? { run_id: response.run_id, written, sent: send } : response);
  else if (!elsewhere) await print(response, format ?? "markdown");
}

const print = async (response: EvaluationResponse, format: string): Promise<void> =>
  printResults(await render(response, format), format);

/** Explains an empty export, such as training data without any good reply. */
async function render(response: EvaluationResponse, format: string): Promise<string> {
  const text = await renderResults(response, format);
  if (text.trim() === "") note(`The ${format} export is empty: no reply is good enough for it.`);
  return text;
}

function parseDestination(text: string): Destination {
  const destination = destinations.find((candidate) => candidate === text);
  if (destination !== undefined) return destination;
  throw new CliError(`--send is "${text}": use ${destinations.join(", ")}`);
}
