import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { CliError } from "../cli-error.ts";
import { note } from "../terminal/output.ts";
import { formatOfFile, renderResults } from "./render-results.ts";
import type { Reporter } from "./reporter.ts";

/** Writes the results to a file; the ending says the format. With several runs each file carries the run's number. */
export function fileReporter(file: string): Reporter {
  const format = formatOfFile(file);
  return {
    async onFinish(outcomes) {
      for (const [index, { response }] of outcomes.entries()) {
        const path = outcomes.length === 1 ? file : file.replace(/(\.[a-z]+)$/i, `-${index + 1}$1`);
        await writeResultFile(path, await renderResults(response, format));
        note(`wrote ${path}`);
      }
    },
  };
}

export async function writeResultFile(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  } catch (cause) {
    throw new CliError(`${path} cannot be written: ${(cause as Error).message}`, undefined, { cause });
  }
}
