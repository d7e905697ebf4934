import type { Command } from "commander";
import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { checkBaseline, compareResponses, type NotedComparison } from "../gates/check-baseline.ts";
import { rankResponses } from "../gates/rank-responses.ts";
import { collectList, share, withSource, type SourceOptions } from "../options.ts";
import { changedSettings } from "../reporters/changed-settings.ts";
import { comparisonMarkdown, comparisonText } from "../reporters/comparison-text.ts";
import { rankingMarkdown, rankingText } from "../reporters/ranking-text.ts";
import { openSource } from "../sources/open-source.ts";
import { readResults } from "../sources/read-results.ts";
import { isResultsFile } from "../sources/results-file.ts";
import { note, outputWidth, printJson, tell } from "../terminal/output.ts";

interface CompareOptions extends SourceOptions {
  readonly failOnRegression?: boolean;
  readonly scores?: readonly string[];
  readonly score?: string;
  readonly maxRegression: number;
  readonly markdown?: boolean;
  readonly json?: boolean;
}

/** `rehearsal compare` */
export function declare(command: Command): void {
  withSource(
    command
      .argument("<baseline>", "id of the run, part of it, a test's name, latest~1, or a results file")
      .argument("[candidate]", "the run held against it", "latest")
      .argument("[others...]", "further runs: then all are ranked"),
  )
    .option("--score <name>", "with further runs: what they are ranked by (default: overall)")
    .option("--fail-on-regression", "exit 1 when the candidate is worse")
    .option("--scores <names>", "scores that must not get worse (default: overall,success)", collectList)
    .option("--max-regression <share>", "a drop that is accepted, such as 0.02 or 2%", share, 0)
    .option("--markdown", "print a Markdown table")
    .option("--json", "print the comparison as one JSON object")
    .action(compare);
}

async function compare(left: string, right: string, others: readonly string[], options: CompareOptions): Promise<void> {
  if (options.json && options.markdown)
    throw new CliError("--json and --markdown both say what to print: give one of them");
  if (others.length > 0) return rank([left, right, ...others], options);
  if (options.score !== undefined) throw new CliError("--score ranks three runs or more; --scores is for two");
  if (!options.failOnRegression && (options.scores || options.maxRegression > 0))
    note("--scores and --max-regression decide nothing without --fail-on-regression.");
  await using source = await openSource(options);
  const baseline = await readResults(source, left);
  const candidate = await readResults(source, right);
  // A file may hold another scoring of the run.
  if (baseline.run_id === candidate.run_id && !isResultsFile(left) && !isResultsFile(right))
    note("Both are the same run; latest~1 is the one before the newest.");
  const comparison = compareResponses(baseline, candidate);
  checkScores(options.scores, comparison);
  print({ baseline, candidate, comparison }, options);
  const { scores = ["overall", "success"], maxRegression, failOnRegression } = options;
  const { passed } = checkBaseline(comparison, { scores, maxRegression });
  if (!comparison.comparable) process.exitCode = exitCodes.usage;
  else if (failOnRegression && !passed) process.exitCode = exitCodes.gateFailed;
}

async function rank(named: readonly string[], options: CompareOptions): Promise<void> {
  if (options.failOnRegression || options.scores || options.maxRegression > 0)
    throw new CliError("--fail-on-regression, --scores and --max-regression hold one run against another: name two");
  await using source = await openSource(options);
  const responses: EvaluationResponse[] = [];
  for (const name of named) responses.push(await readResults(source, name));
  const ids = responses.map(({ run_id }) => run_id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new CliError(`the run ${twice} is named twice`);
  const ranking = rankResponses(responses, options.score);
  if (!ranking.comparable) process.exitCode = exitCodes.usage;
  if (options.json) printJson(ranking);
  else if (options.markdown) tell(rankingMarkdown(ranking));
  else tell(rankingText(ranking, outputWidth()));
}

/** A score that was typed has to be there: one that is mistyped would never get worse. */
function checkScores(typed: readonly string[] = [], comparison: NotedComparison): void {
  if (!comparison.comparable) return;
  const names = comparison.scores.map(({ name }) => name);
  const missing = typed.find((name) => !names.includes(name));
  if (missing === undefined) return;
  const why = [`--scores: "${missing}" is not compared; the runs have ${names.join(", ")}`, ...comparison.notes];
  throw new CliError(why.join("\n  "));
}

interface Compared {
  readonly baseline: EvaluationResponse;
  readonly candidate: EvaluationResponse;
  readonly comparison: NotedComparison;
}

function print({ baseline, candidate, comparison }: Compared, { json, markdown }: CompareOptions): void {
  const runs = { baseline: baseline.run_id, candidate: candidate.run_id };
  if (json) return printJson({ ...runs, settings: changedSettings(baseline, candidate), ...comparison });
  if (markdown) tell(comparisonMarkdown({ baseline, candidate, comparison }));
  else tell(comparisonText({ baseline, candidate, comparison }, outputWidth()));
}
