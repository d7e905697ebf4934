import type { Command } from "commander";
import { collect, withSource, type SourceOptions } from "../options.ts";
import { writeResultFile } from "../reporters/file.ts";
import { formatOfFile, renderFormats, renderResults } from "../reporters/render-results.ts";
import { openSource } from "../sources/open-source.ts";
import { readResults } from "../sources/read-results.ts";
import { note } from "../terminal/output.ts";

interface ReportOptions extends SourceOptions {
  readonly output?: readonly string[];
  readonly format?: string;
}

/** `rehearsal report` */
export function declare(command: Command): void {
  withSource(command.argument("[run]", "id of the run, part of it, a test's name, latest, or a results file", "latest"))
    .option("-o, --output <file>", "write to this file; the ending says the format (repeatable)", collect)
    .option("-f, --format <format>", `print in this format: ${renderFormats.join(", ")} (default: markdown)`)
    .action(report);
}

async function report(text: string, { output = [], format, ...where }: ReportOptions): Promise<void> {
  const formats = output.map((file) => format ?? formatOfFile(file));
  await using source = await openSource(where);
  const response = await readResults(source, text);
  if (output.length === 0) process.stdout.write(await renderResults(response, format ?? "markdown"));
  for (const [index, file] of output.entries()) {
    await writeResultFile(file, await renderResults(response, formats[index] ?? "json"));
    note(`wrote ${file}`);
  }
}
