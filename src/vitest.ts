import { expect } from "vitest";
import type { EvaluationResponse, ScenarioResult } from "./contract/evaluation-response.ts";
import type { ScoreStats } from "./contract/score-stats.ts";
import { tellApart } from "./contract/tell-apart.ts";
import { intervalOfEqual } from "./evaluation/statistics/interval-of-equal.ts";

/** Results of a whole run, or of one of its scenarios. */
export type Scored = EvaluationResponse | ScenarioResult;

export interface ScoreOptions {
  /** Default: overall. */
  readonly score?: string;
  /** `ci_lower`: even the lower end of the 95 % interval has to be above. Default: the mean. */
  readonly statistic?: "mean" | "ci_lower";
}

export interface PassOptions {
  /** Attempts that all have to pass (pass^k). Default 1: the share of attempts that pass. */
  readonly k?: number;
}

declare global {
  // vitest's own `Matchers` has other parameters in each major version, which an addition to it must repeat. This one has none.
  namespace Chai {
    interface Assertion {
      /** The score of a run or scenario is above a bound. */
      toScoreAbove(bound: number, options?: ScoreOptions): void;
      /** The chance that k attempts all pass is at least so high. */
      toPassAtLeast(share: number, options?: PassOptions): void;
    }
  }
}

interface MatcherAnswer {
  readonly pass: boolean;
  readonly message: () => string;
  readonly actual: number | null;
  readonly expected: number;
}

const isRun = (scored: Scored): scored is EvaluationResponse => "results" in scored;

const scenariosOf = (scored: Scored): readonly ScenarioResult[] =>
  isRun(scored) ? scored.results.scenarios : [scored];

function toScoreAbove(scored: Scored, bound: number, options: ScoreOptions = {}): MatcherAnswer {
  const { score = "overall", statistic = "mean" } = options;
  requireResults(scored);
  const stats: ScoreStats | undefined = (isRun(scored) ? scored.summary : scored).score_stats[score];
  requireScored(scored, score);
  const value = stats ? statisticOf(stats, statistic) : null;
  const name = `${score} (${statistic})`;
  return judge(value, { bound, name, holds: (actual) => actual > bound, why: stats?.method.replace(/^none: /, "") });
}

/** As the gates of the command line read it. */
function statisticOf(stats: ScoreStats, statistic: "mean" | "ci_lower"): number | null {
  if (statistic === "mean") return stats.mean;
  return stats.ci_lower ?? intervalOfEqual(stats)?.lower ?? null;
}

function toPassAtLeast(scored: Scored, share: number, { k = 1 }: PassOptions = {}): MatcherAnswer {
  requireResults(scored);
  const scenarios = scenariosOf(scored);
  requireScored(scored, "overall");
  const chances = scenarios.flatMap(({ reliability }) => (reliability ? [reliability.pass_hat_k[k - 1]] : []));
  const known = chances.filter((chance) => chance !== undefined);
  const complete = known.length > 0 && known.length === chances.length;
  const value = complete ? known.reduce((sum, chance) => sum + chance, 0) / known.length : null;
  return judge(value, { bound: share, name: `pass^${k}`, holds: (chance) => chance >= share - 1e-9 });
}

/** What was not awaited, or is the run without its results, has no scores to look at. */
function requireResults(scored: unknown): void {
  const { results, attempts } = (scored ?? {}) as Partial<EvaluationResponse & ScenarioResult>;
  if (results?.scenarios || attempts) return;
  const hint =
    scored instanceof Promise ? "await what evaluate or results gives" : "take what evaluate or results gives";
  throw new Error(`These are not the results of a run or of one of its scenarios: ${hint}`);
}

/** A mean of the replies that a failing judge happened to read says nothing of the others. */
function requireScored(scored: Scored, score: string): void {
  const replies = scenariosOf(scored).flatMap(({ attempts }) => attempts.flatMap(({ interactions }) => interactions));
  const lost = replies.filter(
    ({ failed_scores, scores }) =>
      failed_scores && (score === "overall" || failed_scores.includes(score)) && !(score in scores),
  ).length;
  if (lost > 0)
    throw new Error(`${score} was not measured: the scoring of ${lost} of ${replies.length} replies failed`);
}

/** What was not measured passes neither way round, so `.not` cannot hide it. */
function judge(
  actual: number | null,
  {
    bound,
    name,
    holds,
    why,
  }: { bound: number; name: string; holds: (value: number) => boolean; why?: string | undefined },
): MatcherAnswer {
  if (actual === null)
    throw new Error(`${name} was not measured: ${why ?? "is there a reference, and are there enough attempts?"}`);
  const pass = holds(actual);
  return {
    pass,
    actual,
    expected: bound,
    message: () => `${name} is ${tellApart(actual, bound)}, which is ${pass ? "" : "not "}good enough for ${bound}`,
  };
}

expect.extend({ toScoreAbove, toPassAtLeast });
