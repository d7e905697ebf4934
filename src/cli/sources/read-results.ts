import { EvaluationResponse } from "../../contract/evaluation-response.ts";
import { CliError } from "../cli-error.ts";
import { readText } from "../read-text.ts";
import { findRun } from "./find-run.ts";
import { isResultsFile } from "./results-file.ts";
import type { RunSource } from "./run-source.ts";

/** The results of a run, or of a file that was written with `-o results.json`. */
export async function readResults(source: RunSource, text: string): Promise<EvaluationResponse> {
  return isResultsFile(text) ? readResultFile(text) : source.results(await findRun(source, text));
}

async function readResultFile(file: string): Promise<EvaluationResponse> {
  const parsed = EvaluationResponse.safeParse(parse(await readText(file), file));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new CliError(`${file} does not hold the results of a run: /${issue?.path.join("/")} ${issue?.message}`);
}

function parse(content: string, file: string): unknown {
  try {
    return JSON.parse(content);
  } catch (cause) {
    throw new CliError(`${file} is not valid JSON`, undefined, { cause });
  }
}
