import { Option, type Command } from "commander";
import { joinScenarios, noteLine, readScenarioFiles } from "../scenarios/read-scenarios.ts";
import { refuseEmpty, renderScenarios, writableFormats, writeScenarios } from "../scenarios/write-scenarios.ts";
import { note, printJson } from "../terminal/output.ts";
import { writeWholeFile } from "../files.ts";

interface ExportOptions {
  readonly to?: string;
  readonly output?: string;
  readonly json?: boolean;
}

/** `rehearsal export` */
export function declare(command: Command): void {
  command
    .argument("<files...>", "scenario files, folders or patterns, - for standard input (runs: see rehearsal report)")
    .addOption(new Option("--to <format>", "format").choices(writableFormats))
    .option("-o, --output <file>", "file to write (default: stdout)")
    .option("--json", "print the text or the written file, and what was lost, as one JSON object")
    .action(exportFiles);
}

async function exportFiles(files: readonly string[], { to, output, json }: ExportOptions): Promise<void> {
  const read = await readScenarioFiles(files);
  const scenarios = joinScenarios(read);
  if (json) {
    const { format, text, written, notes } = renderScenarios(scenarios, { file: output, format: to });
    const lost = [...read.flatMap(({ file, notes: own }) => own.map((entry) => ({ file, ...entry }))), ...notes];
    const file = written > 0 ? output : undefined;
    if (file !== undefined) await writeWholeFile(file, text);
    const place = file !== undefined ? { file } : output === undefined ? { text } : {};
    printJson({ format, scenarios: written, ...place, notes: lost });
    return refuseEmpty(scenarios, written);
  }
  for (const { file, notes } of read) for (const entry of notes) note(noteLine(file, entry));
  await writeScenarios(scenarios, { file: output, format: to });
}
