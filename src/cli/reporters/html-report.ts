import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { EvaluationResponse } from "../../contract/evaluation-response.ts";
import type { Run } from "../../contract/run.ts";
import { writeReport } from "../../runs/write-report.ts";
import { CliError } from "../cli-error.ts";

const viewer = new URL("../../../web/dist/report.html", import.meta.url);

/** The page's own viewer with the run inside: one file that opens without a server and asks nobody for anything. */
export async function htmlReport(response: EvaluationResponse): Promise<string> {
  const template = await readFile(fileURLToPath(viewer), "utf8").catch((cause: unknown) => {
    throw new CliError("the report viewer has not been built: npm run build:page", undefined, { cause });
  });
  const pieces = await Array.fromAsync(writeReport(template, { run: toRun(response), results: once(response) }));
  return pieces.join("");
}

async function* once(response: EvaluationResponse): AsyncGenerator<string> {
  yield JSON.stringify(response);
}

/** What a file of results says about its run. */
function toRun(response: EvaluationResponse): Run {
  const { run_id, test_name, endpoint, model_id, state, message, demo, timing, summary, usage, results } = response;
  const attempts = results.scenarios.flatMap((scenario) => scenario.attempts);
  const { interactions, failed } = summary;
  return {
    run_id,
    test_name,
    endpoint,
    model_id,
    state,
    message,
    demo,
    created_at: timing.started_at ?? timing.finished_at ?? new Date(0).toISOString(),
    started_at: timing.started_at,
    finished_at: timing.finished_at,
    progress: {
      attempts_total: attempts.length,
      attempts_done: attempts.length,
      interactions_total: interactions,
      interactions_done: interactions,
      interactions_failed: failed,
    },
    summary: { ...summary, usage },
  };
}
