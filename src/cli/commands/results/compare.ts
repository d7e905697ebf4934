import { compact } from "../../../base/compact.ts";
import { Option, type Command } from "commander";
import type { RunComparison } from "../../../contract/schemas/comparison.ts";
import type { EvaluationResponse } from "../../../contract/schemas/evaluation-response.ts";
import { parseMargins, type Margins } from "../../../contract/schemas/margins.ts";
import { decidingRun } from "../../../runs/compare/deciding-run.ts";
import { CliError, exitCodes } from "../../terminal/cli-error.ts";
import { isResultsFile } from "../../terminal/files.ts";
import {
  attemptsAdvice,
  compareResponses,
  evaluateBaseline,
  evaluateNotWorse,
  rankResponses,
  regressionMargins,
  type NotedComparison,
} from "../../gates/compare-results.ts";
import { collectList, joinMargins, shareNumber } from "../../options/parsers.ts";
import { withSource, type SourceOptions } from "../../options/shared-options.ts";
import { unauditedMark } from "../../../contract/schemas/judging/unaudited.ts";
import { unauditedScores } from "../../../formats/export/results/report-text.ts";
import { changedSettings, comparisonMarkdown, comparisonText } from "../../reporters/comparison-text.ts";
import { rankingMarkdown, rankingText, testNames } from "../../reporters/ranking-text.ts";
import { openSource } from "../../sources/open-source.ts";
import type { RunSource } from "../../sources/run-source.ts";
import { hasVerdicts } from "../../sources/verdicts.ts";
import { loadResults } from "../../sources/read-results.ts";
import { note, outputWidth, printJson, printMessage } from "../../terminal/output.ts";

interface CompareCommandOptions extends SourceOptions {
  readonly failOnRegression?: boolean;
  readonly scores?: readonly string[];
  readonly score?: string;
  readonly maxRegression: number;
  readonly notWorseBy?: string;
  readonly undecided?: "fail" | "pass";
  readonly markdown?: boolean;
  readonly json?: boolean;
}

/** `rehearsal compare` */
export function declare(command: Command): void {
  withSource(
    command
      .argument("<baseline>", "id of the run, part of it, a test's name, latest~1, or a results file")
      .argument("[candidate]", "the run to compare with it", "latest")
      .argument("[others...]", "more runs: all of them are ranked"),
  )
    .option("--score <name>", "score to rank three or more runs by (default: overall)")
    .option("--fail-on-regression", "exit 1 when the candidate is worse")
    .option("--scores <names>", "scores that must not get worse (default: overall,success)", collectList)
    .option("--max-regression <share>", "accepted drop, such as 0.02 or 2%", shareNumber, 0)
    .option(
      "--not-worse-by <margins>",
      "exit 0 only if shown not to be worse by 0.02, or by overall=0.02,success=5%,latency_ms=10%; 1 if worse, 6 if undecided",
      joinMargins,
    )
    .addOption(
      new Option("--undecided <outcome>", "what an undecided comparison counts as (default: fail)").choices([
        "fail",
        "pass",
      ]),
    )
    .option("--markdown", "print a Markdown table")
    .option("--json", "print the comparison as one JSON object")
    .action(compare);
}

async function compare(
  left: string,
  right: string,
  others: readonly string[],
  options: CompareCommandOptions,
): Promise<void> {
  if (options.json && options.markdown) throw new CliError("--json and --markdown cannot be combined: choose one");
  if (others.length > 0) return rank([left, right, ...others], options);
  if (options.score !== undefined) throw new CliError("--score ranks three or more runs; for two, use --scores");
  if (!options.failOnRegression && (options.scores || options.maxRegression > 0))
    note("--scores and --max-regression have no effect without --fail-on-regression.");
  await using source = await openSource(options);
  const baseline = await loadResults(source, left);
  const candidate = await loadResults(source, right);
  // Results files are exempt: they may hold another scoring of the same run.
  if (baseline.run_id === candidate.run_id && !isResultsFile(left) && !isResultsFile(right))
    note("Both are the same run; latest~1 is the run before the newest.");
  const { scores = ["overall", "success"], maxRegression, undecided } = options;
  const margins = givenMargins(options);
  const regression = { scores, maxRegression, undecided };
  const comparison = compareResponses(baseline, candidate, { margins: margins ?? regressionMargins(regression) });
  requireComparedScores(options.scores, comparison);
  const next =
    margins && comparison.not_worse ? decidingRun(comparison.not_worse, { baseline, candidate, margins }) : null;
  const { not_worse, ...rest } = {
    ...comparison,
    ...(await corrections(source, [left, right], { baseline, candidate })),
  };
  const shown =
    margins && not_worse
      ? { ...rest, not_worse: { ...not_worse, next } }
      : { ...rest, notes: [...rest.notes, ...attemptsAdvice(comparison)] };
  print({ baseline, candidate, comparison: shown }, options);
  if (!comparison.comparable) {
    process.exitCode = exitCodes.usage;
    return;
  }
  const checks = [
    ...(options.failOnRegression ? [evaluateBaseline(comparison, regression)] : []),
    ...(margins ? [evaluateNotWorse(comparison, { margins, undecided })] : []),
  ];
  const failed = checks.filter(({ passed }) => !passed);
  if (failed.some((check) => !check.undecided)) process.exitCode = exitCodes.gateFailed;
  else if (failed.length > 0) process.exitCode = exitCodes.undecided;
}

/** Figures that people's verdicts correct. Verdicts are stored with runs, so results files have none. */
async function corrections(
  source: RunSource,
  named: readonly string[],
  { baseline, candidate }: Pick<ComparedFiles, "baseline" | "candidate">,
): Promise<Pick<RunComparison, "corrected" | "win_rate">> {
  if (named.some(isResultsFile) || ![baseline, candidate].some(hasVerdicts)) return {};
  const { corrected, win_rate } = await source.compare(baseline.run_id, candidate.run_id);
  return compact({ corrected, win_rate });
}

function givenMargins({ notWorseBy }: CompareCommandOptions): Margins | null {
  const margins = notWorseBy === undefined ? null : parseMargins(notWorseBy);
  if (typeof margins === "string") throw new CliError(`--not-worse-by: ${margins}`);
  return margins;
}

async function rank(named: readonly string[], options: CompareCommandOptions): Promise<void> {
  if (options.failOnRegression || options.scores || options.maxRegression > 0 || options.notWorseBy !== undefined)
    throw new CliError(
      "--fail-on-regression, --scores, --max-regression and --not-worse-by compare two runs: name exactly two",
    );
  await using source = await openSource(options);
  const responses: EvaluationResponse[] = [];
  for (const name of named) responses.push(await loadResults(source, name));
  const ids = responses.map(({ run_id }) => run_id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new CliError(`the run ${twice} is named twice`);
  const ranking = rankResponses(responses, options.score);
  if (!ranking.comparable) process.exitCode = exitCodes.usage;
  const isUnaudited = unauditedScores(responses.flatMap(({ results }) => results.scenarios)).has(ranking.score);
  if (isUnaudited) note(`${ranking.score}: ${unauditedMark}.`);
  if (options.json) printJson(ranking);
  else if (options.markdown) printMessage(rankingMarkdown(ranking, testNames(responses)));
  else printMessage(rankingText(ranking, outputWidth(), testNames(responses)));
}

/** Refuses unknown names in `--scores`: a mistyped one would never get worse. */
function requireComparedScores(typed: readonly string[] = [], comparison: NotedComparison): void {
  if (!comparison.comparable) return;
  const names = comparison.scores.map(({ name }) => name);
  const missing = typed.find((name) => !names.includes(name));
  if (missing === undefined) return;
  const why = [`--scores: "${missing}" is not compared; the runs have ${names.join(", ")}`, ...comparison.notes];
  throw new CliError(why.join("\n  "));
}

interface ComparedFiles {
  readonly baseline: EvaluationResponse;
  readonly candidate: EvaluationResponse;
  readonly comparison: NotedComparison;
}

function print({ baseline, candidate, comparison }: ComparedFiles, { json, markdown }: CompareCommandOptions): void {
  const runs = { baseline: baseline.run_id, candidate: candidate.run_id };
  if (json) return printJson({ ...runs, settings: changedSettings(baseline, candidate), ...comparison });
  if (markdown) printMessage(comparisonMarkdown({ baseline, candidate, comparison }));
  else printMessage(comparisonText({ baseline, candidate, comparison }, outputWidth()));
}
