import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { CliError } from "../cli-error.ts";
import { note } from "../terminal/output.ts";
import { cannotWrite, writeWholeFile } from "../write-whole-file.ts";
import { amongRuns } from "./among-runs.ts";
import { judgementsOf } from "./judgements-of.ts";
import { outputFile } from "./output-files.ts";
import { formatOfFile, renderResults } from "./render-results.ts";
import type { Reporter } from "./reporter.ts";

/** Writes the results to a file; the ending says the format. */
export function fileReporter(file: string): Reporter {
  const format = formatOfFile(file);
  checkPlace(file);
  return {
    // As each run ends: one that is interrupted later takes nothing from those before it.
    async onEnd(outcome, place) {
      const path = outputFile(file, place);
      // Collectors of JUnit files join all they find, and tell cases apart by these names alone.
      const test_name = amongRuns(outcome.response.test_name, outcome.response, place);
      const response = format === "junit" ? { ...outcome.response, test_name } : outcome.response;
      await writeWholeFile(path, await renderResults(response, format, judgementsOf(outcome)));
      note(`wrote ${path}`);
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
