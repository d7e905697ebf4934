import { alpha, formatFigure } from "../../base/numbers.ts";
import type { RankDistance, RankPlace } from "../../contract/schemas/comparison.ts";
import { pValueText, signedText } from "../../base/format.ts";
import { mean as meanOf } from "../statistics/descriptive.ts";
import { detectableGain, scenariosNeeded } from "../statistics/power.ts";
import { scoreStats } from "../statistics/score-stats.ts";
import { adjustTests } from "../statistics/significance.ts";
import { isBinaryScore } from "../summary/score-series.ts";
import {
  compareScore,
  intervalAt,
  markedTitle,
  outweighsRareFailures,
  toVerdict,
  type ScoreDifference,
} from "./compare-score.ts";
import type { SharedScenario, SharedScore } from "./shared-score.ts";

/** One run of a ranking, identified by its index in the list that was ranked. */
export interface RankedScore {
  readonly run: number;
  readonly place: RankPlace;
  readonly mean: number;
  readonly ci_lower: number | null;
  readonly ci_upper: number | null;
  readonly to_first: RankDistance | null;
  /** Runs that are significantly better. */
  readonly worse_than: readonly number[];
}

export interface ScoreRanking {
  /** The highest mean first. */
  readonly runs: readonly RankedScore[];
  readonly scenarios: number;
  readonly interactions: number;
  /** Scenarios needed to show a difference of `smallestEffect` between the first two with 80 % power. */
  readonly scenarios_needed: number | null;
}

interface Pair extends RankDistance {
  readonly better: number;
  readonly worse: number;
  /** The worse run is shown to be worse. */
  readonly isShown: boolean;
  /** The better run is shown to be better, also with failures that the scenarios may not have shown. */
  readonly isClear: boolean;
  readonly deviation: number | null;
}

/** The smallest difference of interest. */
export const smallestEffect = 0.05;

/**
 * Ranks runs by one score. All pairs of runs are compared by scenario and adjusted by Holm's method: the best run is, with 95 %
 * confidence, among those that no other run beats. Set `binary` when the score is 0 or 1 for every reply, like a check.
 */
export function rankScore(
  name: string,
  shared: SharedScore,
  { binary: isBinary = isBinaryScore(name) } = {},
): ScoreRanking {
  const scenarios = shared.scenarios();
  const count = scenarios[0]?.means.length ?? 0;
  const binary = isBinary && !shared.isFractional();
  const means = Array.from({ length: count }, (_, run) => meanOf(scenarios.map(valueOf(run))) ?? 0);
  const order = means
    .keys()
    .toArray()
    .toSorted((left, right) => (means[right] ?? 0) - (means[left] ?? 0));
  const pairs = comparePairs(name, order, scenarios);
  const shown = pairs.filter(({ isShown }) => isShown);

  const runs = order.map((run, rank): RankedScore => {
    const values = scenarios.map(valueOf(run));
    const replies = scenarios.reduce((sum, scenario) => sum + (scenario.replies[run] ?? 0), 0);
    const { ci_lower, ci_upper } = scoreStats(values, { unit: "scenario", binary, replies, n_missing: 0 });
    const worse_than = shown.filter(({ worse }) => worse === run).map(({ better }) => better);
    const beaten = shown.filter(({ better, isClear }) => better === run && isClear).length;
    return {
      run,
      place: worse_than.length > 0 ? "behind" : beaten === count - 1 && count > 1 ? "best" : "may_be_best",
      mean: means[run] ?? 0,
      ci_lower,
      ci_upper,
      to_first:
        rank === 0 ? null : rankDistance(pairs.find(({ better, worse }) => better === order[0] && worse === run)),
      worse_than,
    };
  });
  return {
    runs,
    scenarios: scenarios.length,
    interactions: scenarios.reduce((sum, { interactions }) => sum + interactions, 0),
    scenarios_needed: neededFor(pairs[0], pairs.filter(({ p_adjusted }) => p_adjusted !== null).length),
  };
}

const valueOf =
  (run: number) =>
  ({ means }: SharedScenario): number =>
    means[run] ?? 0;

/** Compares every run with every run of a lower mean; the first two come first. */
function comparePairs(name: string, order: readonly number[], scenarios: readonly SharedScenario[]): Pair[] {
  const couples = order.flatMap((better, rank) => order.slice(rank + 1).map((worse) => ({ better, worse })));
  const differences = couples.map(({ better, worse }) =>
    compareScore(
      name,
      scenarios.map((scenario) => ({
        ...scenario,
        baseline: valueOf(better)(scenario),
        candidate: valueOf(worse)(scenario),
      })),
    ),
  );
  const tests = adjustTests(
    differences.map(({ p }) => p),
    alpha,
  );
  const adjusted_for = differences.filter(({ p }) => p !== null).length;
  return couples.map((couple, index) => {
    const difference = differences[index] as ScoreDifference;
    const corrected = tests[index] ?? { p_adjusted: null, level: 1 - alpha };
    const { p_adjusted, level } = corrected;
    const { effect, ci_lower, ci_upper, p, deviation } = difference;
    const isShown = toVerdict(difference, corrected) === "worse";
    // Seen from the better run, as a comparison of the two would say it.
    const gains = difference.differences.map((value) => -value);
    const isClear = isShown && outweighsRareFailures({ ...difference, differences: gains }, level);
    const interval = intervalAt(difference, level);
    return {
      ...couple,
      effect,
      ci_lower,
      ci_upper,
      ...interval,
      p,
      p_adjusted,
      adjusted_for,
      isShown,
      isClear,
      deviation,
    };
  });
}

function rankDistance(pair: Pair | undefined): RankDistance | null {
  if (!pair) return null;
  const {
    better: _better,
    worse: _worse,
    isShown: _isShown,
    isClear: _isClear,
    deviation: _deviation,
    ...distance
  } = pair;
  return distance;
}

function neededFor(firstTwo: Pair | undefined, tests: number): number | null {
  return firstTwo?.deviation ? scenariosNeeded(smallestEffect, firstTwo.deviation, tests, detectableGain) : null;
}

/** The ranking as a sentence without statistical terms. `titles` are in the order that was ranked. */
export function rankingSentence(
  named: string,
  ranking: ScoreRanking,
  {
    titles,
    closeness = false,
    audited = true,
  }: { readonly titles: readonly string[]; readonly closeness?: boolean; readonly audited?: boolean },
): string {
  const score = markedTitle(named, audited);
  const { runs, scenarios } = ranking;
  const [first, second] = runs;
  const titleOf = ({ run }: RankedScore): string => titles[run] ?? `run ${run + 1}`;
  if (!first || !second) return "There is nothing to choose from.";
  if (scenarios < 2) return `One scenario cannot tell which of the ${runs.length} runs has the higher ${score}.`;
  const leading = runs.filter(({ place }) => place !== "behind");
  const behind = runs.filter(({ place }) => place === "behind");
  if (first.place === "best")
    return closeness
      ? `${titleOf(first)} is closest to the references on ${score} ${leadText(first, second, titleOf(second))}. That does not say which run is right most often: add checks or a judge.`
      : `${titleOf(first)} ranks first on ${score} ${leadText(first, second, titleOf(second))}.`;
  if (behind.length === 0) return noDifferenceText(score, ranking);
  const open = listRanked(leading.map((run) => `${titleOf(run)} (${formatFigure(run.mean)})`));
  const shown = `${listRanked(behind.map(titleOf))} ${behind.length === 1 ? "is" : "are"} shown to be ${closeness ? "less close to the references" : "worse"}`;
  if (leading.length === 1)
    return `No run is shown to have a ${closeness ? "higher" : "better"} ${score} than ${open}; ${shown} than another.`;
  return `No clear first on ${score} among ${open}; ${shown}.${scenariosNeededText(ranking)}`;
}

function leadText(first: RankedScore, { to_first }: RankedScore, next: string): string {
  if (!to_first) return `(${formatFigure(first.mean)})`;
  const { effect, ci_lower_adjusted: lower, ci_upper_adjusted: upper, p_adjusted, adjusted_for: pairs = 1 } = to_first;
  const adjusted = pairs > 1 ? ` adjusted for ${pairs} pairs` : "";
  const range =
    typeof lower !== "number" || typeof upper !== "number"
      ? ""
      : `95 % interval ${signedText(-upper)} to ${signedText(-lower)}${adjusted}, `;
  return `(${formatFigure(first.mean)}), ${formatFigure(-effect)} ahead of ${next} (${range}p ${pValueText(p_adjusted ?? 1)})`;
}

function noDifferenceText(score: string, ranking: ScoreRanking): string {
  const { runs, scenarios } = ranking;
  if (runs.every(({ to_first }) => (to_first?.effect ?? 0) === 0 && to_first?.p_adjusted == null))
    return `${score} is the same in ${allRunsText(runs.length)}.`;
  return `No difference in ${score} between the ${runs.length} runs can be seen in ${scenarios} scenarios.${scenariosNeededText(ranking)}`;
}

function scenariosNeededText({ scenarios, scenarios_needed }: ScoreRanking): string {
  if (scenarios_needed === null || scenarios_needed <= scenarios) return "";
  const more = scenarios_needed - scenarios;
  return ` About ${more} more ${more === 1 ? "scenario" : "scenarios"} would show a difference of ${smallestEffect} between the first two.`;
}

/** "a", "a and b", "a, b and c". */
function listRanked(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** "both runs", "all 3 runs". */
export const allRunsText = (count: number): string => (count === 2 ? "both runs" : `all ${count} runs`);
