import type { Command } from "commander";
import { CliError } from "../cli-error.ts";
import { joinScenarios, noteLine, readScenarioFiles } from "../scenarios/read-scenarios.ts";
import { writableFormats, writeScenarios } from "../scenarios/write-scenarios.ts";
import { note } from "../terminal/output.ts";

interface ExportOptions {
  readonly to?: string;
  readonly output?: string;
}

/** `rehearsal export` */
export function declare(command: Command): void {
  command
    .argument("<files...>", "scenario files, folders or patterns (runs: see rehearsal report)")
    .option("--to <format>", `format: ${writableFormats.join(", ")}`)
    .option("-o, --output <file>", "file to write (default: stdout)")
    .action(exportFiles);
}

async function exportFiles(files: readonly string[], { to, output }: ExportOptions): Promise<void> {
  if (to !== undefined && !writableFormats.includes(to)) {
    throw new CliError(`--to is "${to}": use one of ${writableFormats.join(", ")}`);
  }
  const read = await readScenarioFiles(files);
  for (const { file, notes } of read) for (const entry of notes) note(noteLine(file, entry));
  await writeScenarios(joinScenarios(read), { file: output, format: to });
}
