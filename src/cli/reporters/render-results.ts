import { compact } from "../../base/compact.ts";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { AttemptResult, EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import type { Run } from "../../contract/schemas/run.ts";
import { failureReasons } from "../../formats/export/results/failure.ts";
import { unauditedMark } from "../../contract/schemas/judging/unaudited.ts";
import { unauditedScores } from "../../formats/export/results/report-text.ts";
import { isFailing, verdictOf } from "../../formats/export/results/verdict.ts";
import { type RunJudgement, exportResults } from "../../formats/export/results/result-export.ts";
import { resultFormats } from "../../formats/formats.ts";
import { demoModelName } from "../../models/demo/demo-models.ts";
import { writeReport } from "../../runs/results/results-text.ts";
import { CliError } from "../terminal/cli-error.ts";
import type { RunOutcome } from "./reporter.ts";

/** The formats of results. */
export const renderFormats: readonly string[] = ["json", "html", ...resultFormats.map(({ id }) => id)];

const formatOfEnding: Readonly<Record<string, string>> = {
  json: "json",
  jsonl: "jsonl",
  ndjson: "jsonl",
  csv: "csv",
  xml: "junit",
  md: "markdown",
  markdown: "markdown",
  html: "html",
  htm: "html",
};

/** The format of a file's extension. */
export function formatOfFile(file: string): string {
  const format = formatOfEnding[/\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? ""];
  if (format !== undefined) return format;
  throw new CliError(`${file}: the extension selects the format: use one of ${Object.keys(formatOfEnding).join(", ")}`);
}

/** Renders results in one of the formats. */
export async function renderResults(response: EvaluationResponse, format: string): Promise<string> {
  return renderFormat(response, format, null);
}

/** A run that was judged, with its whole results. */
type RunWithVerdicts = Omit<RunOutcome, "results"> & { readonly response: EvaluationResponse };

export async function withResponse(outcome: RunOutcome): Promise<RunWithVerdicts> {
  return { ...outcome, response: await outcome.results() };
}

/** Renders a run that was judged: JSON, JUnit, Markdown and HTML include its gates, its comparison and its problems. */
export async function renderOutcome(outcome: RunWithVerdicts, format: string): Promise<string> {
  return renderFormat(outcome.response, format, outcome);
}

async function renderFormat(
  response: EvaluationResponse,
  format: string,
  outcome: RunWithVerdicts | null,
): Promise<string> {
  if (format === "json") return `${JSON.stringify(outcome ? toJudgedRun(outcome) : response, null, 2)}\n`;
  if (format === "html") return htmlReport(response, outcome);
  const known = resultFormats.find(({ id }) => id === format);
  if (!known) throw new CliError(`"${format}" is not a result format: use one of ${renderFormats.join(", ")}`);
  return exportResults(known.create, { ...response, judgements: outcome ? toJudgements(outcome) : [] });
}

/** The results with everything the exit code depends on, and with the verdict and the causes of each scenario. */
export function toJudgedRun({ response, gates, comparison, problems, exitCode }: RunWithVerdicts): object {
  const scenarios = response.results.scenarios.map((result) => {
    const verdict = verdictOf(result);
    const { outcome, threshold } = verdict;
    return compact({
      ...result,
      verdict: outcome,
      failed_because: isFailing(verdict) ? failureReasons(result, threshold) : undefined,
    });
  });
  return compact({
    ...response,
    results: { ...response.results, scenarios },
    gates,
    comparison: comparison || undefined,
    problems: problems.length > 0 ? problems : undefined,
    exit_code: exitCode,
  });
}

/** The judgements of a run, for its report. */
export function toJudgements({
  gates,
  problems,
  comparison,
}: Pick<RunOutcome, "gates" | "problems" | "comparison">): RunJudgement[] {
  return [
    ...problems.map((message): RunJudgement => ({ name: "the run", outcome: "error", message })),
    ...gates.map(({ gate, passed, undecided, message }): RunJudgement => ({
      name: gate,
      outcome: passed ? (undecided ? "undecided" : "passed") : "failed",
      message,
    })),
    ...(comparison
      ? [
          {
            name: "baseline",
            outcome: "told",
            message: comparison.comparable ? comparison.sentence : comparison.reason,
          } as const,
        ]
      : []),
  ];
}

/** Rebuilds the run from its results. */
export function runFromResults(response: EvaluationResponse): Run {
  const { run_id, test_name, endpoint, model_id, state, message, demo, timing, summary, usage, results, warnings } =
    response;
  const attempts = results.scenarios.flatMap((scenario) => scenario.attempts);
  const { interactions, failed } = summary;
  return compact({
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
      attempts_done: attempts.filter(isWhole).length,
      interactions_total: interactions,
      interactions_done: interactions,
      interactions_failed: failed,
    },
    summary: { ...summary, usage },
    warnings: warnings.length > 0 ? warnings : undefined,
  });
}

/** Results of a stopped run also contain attempts that were cut short or not started. */
const isWhole = ({ unfinished, interactions }: AttemptResult): boolean => !unfinished && interactions.length > 0;

const viewer = new URL("../../../web/dist/report.html", import.meta.url);

/** The page's viewer with the run inside: one file that needs no server and makes no requests. */
async function htmlReport(response: EvaluationResponse, outcome: RunWithVerdicts | null): Promise<string> {
  const template = await readFile(fileURLToPath(viewer), "utf8").catch((cause: unknown) => {
    throw new CliError("the report viewer has not been built: run npm run build:page", undefined, { cause });
  });
  const pieces = await Array.fromAsync(
    writeReport(template, {
      run: runFromResults(response),
      results: once(response),
      model_name: demoModelName(response.model_id),
      judged: outcome && { judgements: toJudgements(outcome), scores: comparedScores(outcome) },
    }),
  );
  return pieces.join("");
}

/** The compared scores for the report. Those of a judge without an audit say so. */
function comparedScores({ response, comparison }: RunWithVerdicts): object[] {
  if (!comparison?.comparable) return [];
  const unaudited = unauditedScores(response.results.scenarios);
  return comparison.scores.map(({ name, baseline, candidate, effect, verdict }) => {
    const title = unaudited.has(name) ? `${name} (${unauditedMark})` : name;
    return { name: title, baseline, candidate, effect, verdict };
  });
}

async function* once(response: EvaluationResponse): AsyncGenerator<string> {
  yield JSON.stringify(response);
}
