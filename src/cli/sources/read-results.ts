import { statSync } from "node:fs";
import { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import { CliError } from "../cli-error.ts";
import { readText } from "../read-text.ts";
import { findRun } from "./find-run.ts";
import { isResultsFile } from "./results-file.ts";
import type { RunSource } from "./run-source.ts";

/** The results of a run, or of a file that was written with `-o results.json` or is what `--json` printed. */
export async function readResults(source: RunSource, text: string): Promise<EvaluationResponse> {
  return isResultsFile(text) ? readResultFile(text) : source.results(await findRunNotFile(source, text));
}

const howToWrite = "\n  rehearsal eval -o results.json and rehearsal report -o results.json write such a file";

/** Results are written in forms that leave out a part of them, too: lines, tables and reports cannot be read back. */
async function findRunNotFile(source: RunSource, text: string): Promise<string> {
  try {
    return await findRun(source, text);
  } catch (error) {
    if (!(error instanceof CliError) || !statSync(text, { throwIfNoEntry: false })?.isFile()) throw error;
    throw new CliError(
      `there is no run "${text}", and of files only whole results in JSON are read${howToWrite}`,
      undefined,
      { cause: error },
    );
  }
}

async function readResultFile(file: string): Promise<EvaluationResponse> {
  const parsed = EvaluationResponse.safeParse(onlyRun(parse(await readText(file), file), file));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new CliError(
    `${file} does not hold the results of a run: /${issue?.path.join("/")} ${issue?.message}${howToWrite}`,
  );
}

/** `rehearsal eval --json` prints the runs of a command in a list, which people keep in a file as well. */
function onlyRun(document: unknown, file: string): unknown {
  const { runs } = (document ?? {}) as { readonly runs?: unknown };
  if (!Array.isArray(runs)) return document;
  if (runs.length === 1) return runs[0];
  throw new CliError(`${file} holds ${runs.length} runs: rehearsal eval -o results.json writes a file for each`);
}

function parse(content: string, file: string): unknown {
  try {
    return JSON.parse(content);
  } catch (cause) {
    throw new CliError(`${file} is not valid JSON, which results are read from${howToWrite}`, undefined, { cause });
  }
}
