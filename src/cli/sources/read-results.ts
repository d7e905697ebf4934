import { statSync } from "node:fs";
import { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import { CliError } from "../terminal/cli-error.ts";
import { isResultsFile, readTextFile } from "../terminal/files.ts";
import { joinRuns } from "./join-runs.ts";
import { resolveRunId, type RunSource } from "./run-source.ts";

/** The results of a run, or of a file written with `-o results.json` or `--json`. */
export async function loadResults(source: RunSource, text: string): Promise<EvaluationResponse> {
  return isResultsFile(text) ? readResultFile(text) : source.results(await resolveRunNotFile(source, text));
}

const howToWrite =
  "\n  rehearsal eval -o results.json and rehearsal runs export -o results.json write results that can be read";

/** Explains that other results files (lines, tables, reports) are incomplete and cannot be read. */
async function resolveRunNotFile(source: RunSource, text: string): Promise<string> {
  try {
    return await resolveRunId(source, text);
  } catch (error) {
    if (!(error instanceof CliError) || !statSync(text, { throwIfNoEntry: false })?.isFile()) throw error;
    throw new CliError(
      `there is no run "${text}", and the file of that name is not complete results in JSON${howToWrite}`,
      undefined,
      { cause: error },
    );
  }
}

/** A file holds one run, as `-o` writes it, or a list under `runs`, as `--json` prints it. */
async function readResultFile(file: string): Promise<EvaluationResponse> {
  const document = parseResults(await readTextFile(file), file);
  const { runs } = (document ?? {}) as { readonly runs?: unknown };
  const read = (Array.isArray(runs) ? runs : [document]).map((run: unknown) => {
    const parsed = EvaluationResponse.safeParse(run);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new CliError(
      `${file} does not hold the results of a run: /${issue?.path.join("/")} ${issue?.message}${howToWrite}`,
    );
  });
  return joinRuns(read, file);
}

function parseResults(content: string, file: string): unknown {
  try {
    return JSON.parse(content);
  } catch (cause) {
    throw new CliError(`${file} is not valid JSON${howToWrite}`, undefined, { cause });
  }
}
