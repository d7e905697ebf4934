import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import { writeReport } from "../../runs/results/results-text.ts";
import { CliError } from "../cli-error.ts";
import { runOfResults } from "./run-of-results.ts";

const viewer = new URL("../../../web/dist/report.html", import.meta.url);

/** The page's own viewer with the run inside: one file that opens without a server and asks nobody for anything. */
export async function htmlReport(response: EvaluationResponse): Promise<string> {
  const template = await readFile(fileURLToPath(viewer), "utf8").catch((cause: unknown) => {
    throw new CliError("the report viewer has not been built: npm run build:page", undefined, { cause });
  });
  const pieces = await Array.fromAsync(writeReport(template, { run: runOfResults(response), results: once(response) }));
  return pieces.join("");
}

async function* once(response: EvaluationResponse): AsyncGenerator<string> {
  yield JSON.stringify(response);
}
