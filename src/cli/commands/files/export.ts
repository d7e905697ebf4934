import { Option, type Command } from "commander";
import { withForce } from "../../options/shared-options.ts";
import { joinScenarios, noteLines, readScenarioFiles } from "../../scenarios/read-scenarios.ts";
import {
  refuseEmpty,
  refuseLosses,
  renderScenarios,
  writableFormats,
  writeScenarios,
} from "../../scenarios/write-scenarios.ts";
import { note, printJson } from "../../terminal/output.ts";
import { refuseOverwrite, writeWholeFile } from "../../terminal/files.ts";
import { isLoss, listedNote } from "../../../formats/fold-notes.ts";

interface ExportOptions {
  readonly to?: string;
  readonly output?: string;
  readonly json?: boolean;
  readonly verbose?: boolean;
  readonly strict?: boolean;
  readonly force?: boolean;
}

/** `rehearsal export` */
export function declare(command: Command): void {
  command
    .argument(
      "<files...>",
      "scenario files, folders or patterns, - for standard input (runs: see rehearsal runs export)",
    )
    .addOption(new Option("--to <format>", "format").choices(writableFormats))
    .option("-o, --output <file>", "file to write (default: stdout)")
    .option("--strict", "fail if anything is dropped or changed")
    .option("--verbose", "print every note instead of one for each kind")
    .option("--json", "print the text or the written file, and what was lost, as one JSON object")
    .action(exportFiles);
  withForce(command);
}

async function exportFiles(files: readonly string[], options: ExportOptions): Promise<void> {
  const { to, output, json, verbose = false, strict = false, force = false } = options;
  await refuseOverwrite(output, { force });
  const read = await readScenarioFiles(files);
  const scenarios = joinScenarios(read);
  if (json) {
    const { format, text, written, notes } = renderScenarios(scenarios, { file: output, format: to });
    const lost = [...read.flatMap(({ file, notes: own }) => own.map((entry) => ({ file, ...entry }))), ...notes].map(
      listedNote,
    );
    const isWritten = written > 0 && !(strict && lost.some(isLoss));
    const file = isWritten ? output : undefined;
    if (file !== undefined) await writeWholeFile(file, text);
    const place = file !== undefined ? { file } : output === undefined ? { text } : {};
    printJson({ format, scenarios: written, ...place, notes: lost });
    refuseEmpty(scenarios, written);
    if (strict) refuseLosses(lost);
    return;
  }
  for (const { file, notes } of read) for (const line of noteLines(file, notes, { verbose })) note(line);
  if (strict) refuseLosses(read.flatMap(({ notes }) => notes));
  await writeScenarios(scenarios, { file: output, format: to, verbose, strict, force });
}
