import { accessSync, constants, existsSync, statSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { CliError } from "../cli-error.ts";
import { note } from "../terminal/output.ts";
import { judgementsOf } from "./judgements-of.ts";
import { outputFile } from "./output-files.ts";
import { formatOfFile, renderResults } from "./render-results.ts";
import type { Reporter } from "./reporter.ts";

/** Writes the results to a file; the ending says the format. */
export function fileReporter(file: string): Reporter {
  const format = formatOfFile(file);
  checkPlace(file);
  return {
    async onFinish(outcomes) {
      for (const [index, outcome] of outcomes.entries()) {
        const path = outputFile(file, { number: index + 1, of: outcomes.length });
        await writeResultFile(path, await renderResults(outcome.response, format, judgementsOf(outcome)));
        note(`wrote ${path}`);
      }
    },
  };
}

/** A place where nothing can be written is told before the run, which may take hours and money, and not after it. */
function checkPlace(path: string): void {
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

/** A new file that could not be written whole, as on a full disk, is not left behind for somebody to take it for the results. */
export async function writeResultFile(path: string, text: string): Promise<void> {
  const isNew = !existsSync(path);
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  } catch (cause) {
    if (isNew) await rm(path, { force: true }).catch(() => {});
    throw cannotWrite(path, cause);
  }
}

const cannotWrite = (path: string, cause: unknown): CliError =>
  new CliError(`${path} cannot be written: ${(cause as Error).message}`, undefined, { cause });
