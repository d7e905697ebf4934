import { formatFigure, roundApartFrom } from "../base/numbers.ts";
import type { EvaluationResponse, ScenarioResult } from "../contract/schemas/evaluation-response.ts";
import type { ScoreStats } from "../contract/schemas/scores/score.ts";
import { intervalOfConstant } from "../evaluation/statistics/intervals.ts";
import { undecidedReason } from "../evaluation/summary/left-out.ts";

/** Results of a whole run, or of one of its scenarios. */
export type Scored = EvaluationResponse | ScenarioResult;

export interface ScoreOptions {
  /** Default: overall. */
  readonly score?: string;
  /** `ci_lower` requires the lower end of the 95 % interval to be above the bound. Default: the mean. */
  readonly statistic?: "mean" | "ci_lower";
}

export interface PassOptions {
  /** Number of attempts that all have to pass (pass^k). Default 1: the share of passing attempts. */
  readonly k?: number;
}

export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
  readonly actual: number | null;
  readonly expected: number;
}

const isRun = (scored: Scored): scored is EvaluationResponse => "results" in scored;

const scenariosOf = (scored: Scored): readonly ScenarioResult[] =>
  isRun(scored) ? scored.results.scenarios : [scored];

/** The `overall` score, or another, is above a bound. */
export function toScoreAbove(scored: Scored, bound: number, options: ScoreOptions = {}): MatcherResult {
  const { score = "overall", statistic = "mean" } = options;
  requireResults(scored);
  const { score_stats } = isRun(scored) ? scored.summary : scored;
  const stats: ScoreStats | undefined = score_stats[score];
  requireScored(scored, score);
  const value = stats ? statisticOf(stats, statistic) : null;
  const name = `${score} (${statistic})`;
  return judge(value, {
    bound,
    name,
    holds: (actual) => actual > bound,
    why: missingReason(stats, {
      statistic,
      unit: isRun(scored) ? "scenarios" : "attempts",
      names: Object.keys(score_stats),
    }),
  });
}

/** Why a score has no such figure, and what to use instead. */
function missingReason(
  stats: ScoreStats | undefined,
  { statistic, unit, names }: { statistic: string; unit: string; names: readonly string[] },
): string {
  if (!stats) return `there is no such score; the results have ${names.join(", ") || "none"} (is there a reference?)`;
  const reason = stats.method.replace(/^none: /, "");
  if (statistic === "mean" || stats.mean === null) return reason;
  return `${reason}, and an interval needs two or more ${unit} that differ; the mean is ${formatFigure(stats.mean)} (statistic: "mean")`;
}

/** The same reading as in the gates of the command line. */
function statisticOf(stats: ScoreStats, statistic: "mean" | "ci_lower"): number | null {
  if (statistic === "mean") return stats.mean;
  return stats.ci_lower ?? intervalOfConstant(stats)?.lower ?? null;
}

/** The probability that k attempts all pass is at least `share`. */
export function toPassAtLeast(scored: Scored, share: number, { k = 1 }: PassOptions = {}): MatcherResult {
  requireResults(scored);
  const scenarios = scenariosOf(scored);
  requireScored(scored, "overall");
  const chances = scenarios.flatMap(({ reliability }) => (reliability ? [reliability.pass_hat_k[k - 1]] : []));
  const known = chances.filter((chance) => chance !== undefined);
  const complete = known.length > 0 && known.length === scenarios.length;
  const value = complete ? known.reduce((sum, chance) => sum + chance, 0) / known.length : null;
  const why =
    chances.length === 0
      ? "nothing says whether an attempt passes (are there checks, an expectation or a judge?)"
      : `not every scenario has ${k} attempts that passed or failed`;
  return judge(value, { bound: share, name: `pass^${k}`, holds: (chance) => chance >= share - 1e-9, why });
}

/** Refuses a promise that was not awaited, a run without its results, and one that left out too much. */
function requireResults(scored: unknown): void {
  const { results, attempts, summary } = (scored ?? {}) as Partial<EvaluationResponse & ScenarioResult>;
  const undecided = summary && undecidedReason(summary);
  if (undecided) throw new Error(`The run is undecided: ${undecided}`);
  if (results?.scenarios || attempts) return;
  const hint =
    scored instanceof Promise ? "await the promise of evaluate or results" : "pass the value of evaluate or results";
  throw new Error(`These are not the results of a run or of one of its scenarios: ${hint}`);
}

/** Refuses scores with missing replies: the mean of those a failing judge did read says nothing about the others. */
function requireScored(scored: Scored, score: string): void {
  const replies = scenariosOf(scored).flatMap(({ attempts }) => attempts.flatMap(({ interactions }) => interactions));
  const lost = replies.filter(
    ({ failed_scores, scores }) =>
      failed_scores && (score === "overall" || failed_scores.includes(score)) && !(score in scores),
  ).length;
  if (lost > 0)
    throw new Error(`${score} was not measured: the scoring of ${lost} of ${replies.length} replies failed`);
}

/** An unmeasured score throws, so that it does not pass with `.not` either. */
function judge(
  actual: number | null,
  { bound, name, holds, why }: { bound: number; name: string; holds: (value: number) => boolean; why: string },
): MatcherResult {
  if (actual === null) throw new Error(`${name} was not measured: ${why}`);
  const pass = holds(actual);
  return {
    pass,
    actual,
    expected: bound,
    message: () =>
      `${name} is ${roundApartFrom(actual, bound)}, which is ${pass ? "" : "not "}good enough for ${bound}`,
  };
}
