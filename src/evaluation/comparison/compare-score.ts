import { unauditedMark } from "../../contract/schemas/judging/unaudited.ts";
import { alpha, formatFigure } from "../../base/numbers.ts";
import type { Verdict } from "../../contract/schemas/comparison.ts";
import { scoreTitle } from "../../contract/schemas/scores/score-names.ts";
import { pValueText, signedText } from "../../base/format.ts";
import { allEqual, standardDeviation } from "../statistics/descriptive.ts";
import { twoSidedP } from "../statistics/distributions.ts";
import { clusterInterval, defaultLevel, tInterval, type Interval } from "../statistics/intervals.ts";
import { differenceScale, meanInterval, rareValueP } from "../statistics/mean-interval.ts";
import { mcnemar } from "../statistics/significance.ts";

/** The means of one score in one scenario, over the interactions that have it in both runs. */
export interface ScenarioPair {
  readonly scenario_id: string;
  readonly baseline: number;
  readonly candidate: number;
  readonly interactions: number;
}

/** The difference of one score between candidate and baseline, before the correction for multiple comparisons. */
export interface ScoreDifference {
  readonly name: string;
  readonly baseline: number;
  readonly candidate: number;
  /** Mean over scenarios of candidate - baseline. */
  readonly effect: number;
  readonly ci_lower: number | null;
  readonly ci_upper: number | null;
  readonly p: number | null;
  readonly scenarios: number;
  readonly interactions: number;
  readonly scenarios_better: number;
  readonly scenarios_worse: number;
  /** The difference of each scenario. */
  readonly differences: readonly number[];
  /** Standard deviation of the scenarios' differences; null below two scenarios. */
  readonly deviation: number | null;
  /** The largest possible difference: 1, unless the values are no scores. */
  readonly widest: number;
  readonly method: string;
}

/** Smaller differences are rounding. */
const rounding = 1e-12;

/**
 * Compares one score, paired by scenario: each scenario gives one difference, since its attempts and turns are not independent.
 * Student's t over scenarios; the sign test when all scenarios differ by the same amount.
 */
export function compareScore(name: string, pairs: readonly ScenarioPair[]): ScoreDifference {
  const differences = pairs.map(({ baseline, candidate }) => candidate - baseline);
  const { mean, stderr, clusters } = clusterInterval(differences.map((sum) => ({ sum, count: 1 })));
  const areScores = pairs.every(isScored);
  const effect = Math.abs(mean ?? 0) < rounding ? 0 : (mean ?? 0);
  const better = differences.filter((difference) => difference > rounding).length;
  const worse = differences.filter((difference) => difference < -rounding).length;
  const average = (side: "baseline" | "candidate") => pairs.reduce((sum, pair) => sum + pair[side], 0) / pairs.length;
  const widest = areScores ? 1 : Number.POSITIVE_INFINITY;
  const interval = stderr ? intervalOf({ differences, widest }, defaultLevel) : null;
  const tested = stderr
    ? { p: twoSidedP(effect / stderr, clusters - 1), method: methodOf(clusters, areScores) }
    : bySign();

  function bySign(): { p: number | null; method: string } {
    if (clusters < 2) return { p: null, method: "none: one scenario only" };
    if (allEqual([...differences, 0])) return { p: null, method: "none: no scenario differs" };
    return { p: mcnemar(better, worse), method: `sign test over ${clusters} scenarios` };
  }

  return {
    name,
    baseline: average("baseline"),
    candidate: average("candidate"),
    effect,
    ci_lower: interval?.lower ?? null,
    ci_upper: interval?.upper ?? null,
    ...tested,
    scenarios: clusters,
    interactions: pairs.reduce((sum, pair) => sum + pair.interactions, 0),
    scenarios_better: better,
    scenarios_worse: worse,
    differences,
    deviation: standardDeviation(differences),
    widest,
  };
}

const methodOf = (scenarios: number, areScores: boolean): string =>
  `t${areScores ? " and Bayesian bootstrap" : ""} over ${scenarios} scenarios`;

type ScoreSpread = Pick<ScoreDifference, "differences" | "widest">;

/**
 * The interval that the verdicts rest on. "Worse" is an alarm: Student's interval gives it. "Better" is a permission: its interval
 * also allows for failures that few scenarios have not shown. Otherwise both ends allow for rare values.
 */
function intervalOf({ differences, widest }: ScoreSpread, level: number): Interval | null {
  const student = tInterval(differences, level);
  if (!student || widest !== 1) return student;
  const wide = meanInterval(differences, differenceScale, level);
  return wide && (student.upper < 0 && wide.upper >= 0 ? { lower: wide.lower, upper: student.upper } : wide);
}

/** The one-sided p value of "the candidate is no better" that {@link toVerdict} rests on; null where there is none. */
export function chanceOfNoGain({ p, effect, differences, widest }: ScoreDifference): number | null {
  if (p === null || effect <= 0 || widest !== 1) return null;
  return Math.max(p / 2, rareValueP(differences, differenceScale, 0));
}

/** True when a gain remains after allowing for failures that the scenarios may not have shown. */
export function outweighsRareFailures({ differences, widest }: ScoreSpread, level: number): boolean {
  return widest !== 1 || rareValueP(differences, differenceScale, 0) <= (1 - level) / 2;
}

const isScored = ({ baseline, candidate }: ScenarioPair): boolean =>
  Math.min(baseline, candidate) >= -rounding && Math.max(baseline, candidate) <= 1 + rounding;

export interface AdjustedInterval {
  readonly ci_lower_adjusted: number | null;
  readonly ci_upper_adjusted: number | null;
}

/** The interval of an effect at another confidence level, as the correction for several tests needs it. */
export function intervalAt(difference: ScoreDifference, level: number): AdjustedInterval {
  const { ci_lower, ci_upper } = difference;
  if (Math.abs(level - defaultLevel) < 1e-12) return { ci_lower_adjusted: ci_lower, ci_upper_adjusted: ci_upper };
  const interval = intervalOf(difference, level);
  return { ci_lower_adjusted: interval?.lower ?? null, ci_upper_adjusted: interval?.upper ?? null };
}

/** The difference of one score, corrected for the number of scores compared. */
export interface ScoreComparison
  extends Omit<ScoreDifference, "deviation" | "widest" | "differences">, AdjustedInterval {
  /** Number of scores tested, which the adjusted interval and p value allow for. */
  readonly adjusted_for: number;
  /** The smallest difference that this many scenarios show with 80 % power; null when above the largest possible one. */
  readonly detectable_effect: number | null;
  /** Scenarios needed to show a difference of `smallestEffect` with 80 % power. */
  readonly scenarios_needed: number | null;
  /** Adjusted by Holm's method. */
  readonly p_adjusted: number | null;
  readonly verdict: Verdict;
  /** Set when it rests on a judge without an audit. */
  readonly judge_audited?: false;
  readonly sentence: string;
}

/** `level` is that of the interval corrected for several tests, as `adjusted` is the p value. */
export function toVerdict(
  difference: ScoreDifference,
  { p_adjusted: adjusted, level }: { readonly p_adjusted: number | null; readonly level: number },
): Verdict {
  const { p, effect, scenarios, scenarios_better, scenarios_worse } = difference;
  if (scenarios < 2) return "undecided";
  if (p === null && scenarios_better + scenarios_worse === 0) return "same";
  if (adjusted === null || adjusted >= alpha) return "no_difference_seen";
  if (effect < 0) return "worse";
  return outweighsRareFailures(difference, level) ? "better" : "no_difference_seen";
}

/** The verdict in words for scores that only compare replies with references. */
export function toCloseness(verdict: Verdict): Verdict {
  return verdict === "better" ? "closer" : verdict === "worse" ? "less_close" : verdict;
}

/** The title of a score, with a mark when it rests on a judge without an audit. */
export const markedTitle = (name: string, audited: boolean): string =>
  audited ? scoreTitle(name) : `${scoreTitle(name)} (${unauditedMark})`;

type UnwordedComparison = Omit<ScoreComparison, "sentence">;

interface WordOptions {
  readonly smallestEffect: number;
  /** `closeness`: the score only says how close replies are to their references. */
  readonly says?: "verdict" | "closeness";
  /** The share of complete failures that the scenarios do not exclude. */
  readonly undetected: number;
  /** False when the score rests on a judge without an audit. */
  readonly audited?: boolean;
}

const notBetter = ". That does not say which run is right more often: add checks or a judge.";

/** The verdict as a sentence without statistical terms. */
export function toSentence(
  difference: UnwordedComparison,
  { smallestEffect, says = "verdict", undetected, audited = true }: WordOptions,
): string {
  const [more, less] =
    says === "closeness" ? ["closer to the references", "less close to the references"] : ["better", "worse"];
  const { effect, scenarios, verdict, p_adjusted: adjusted } = difference;
  const name = markedTitle(difference.name, audited);
  switch (verdict) {
    case "undecided": {
      const finding =
        difference.scenarios_better + difference.scenarios_worse === 0
          ? "is the same"
          : `differs by ${signedText(effect)}`;
      return `${name} ${finding} in the one scenario both runs share; one scenario cannot tell more.`;
    }
    case "same":
      return `${name} is the same in all ${scenarios} scenarios.`;
    case "better":
    case "worse":
      return `${name} is ${verdict} by ${formatFigure(Math.abs(effect))}${intervalText(difference)}, p ${pValueText(adjusted ?? 1)}.`;
    case "closer":
    case "less_close":
      return `${name} is ${verdict === "closer" ? more : less} by ${formatFigure(Math.abs(effect))}${intervalText(difference)}, p ${pValueText(adjusted ?? 1)}${notBetter}`;
    case "no_difference_seen":
      if (adjusted !== null && adjusted < alpha)
        return `${name} looks ${more} by ${formatFigure(Math.abs(effect))}${intervalText(difference)}, but ${undetectedText(scenarios, undetected)}, which would outweigh it.`;
      if (difference.p !== null && difference.p < alpha) {
        const looks = effect > 0 ? more : less;
        return `${name} looks ${looks} by ${formatFigure(Math.abs(effect))}${intervalText(difference)}, which may be chance with ${difference.adjusted_for} scores compared (p ${pValueText(adjusted ?? 1)}).`;
      }
      if (isOneSided(difference)) {
        const looks = effect > 0 ? more : less;
        return `${name} is ${looks} by ${formatFigure(Math.abs(effect))} in every one of the ${scenarios} scenarios, which are too few to rule out chance (p ${pValueText(adjusted ?? 1)}).`;
      }
      return `No difference in ${name} can be seen: ${signedText(effect)}${intervalText(difference)}.${scenariosNeededText(difference, smallestEffect)}`;
  }
}

/** "40 scenarios do not exclude complete failures in up to 7.2 % of scenarios like these". */
export const undetectedText = (scenarios: number, rate: number): string =>
  `${scenarios} scenarios do not exclude complete failures in up to ${percentText(rate)} of scenarios like these`;

/** Rounded up: the text must not promise more than was shown. */
const percentText = (rate: number): string => `${Math.ceil(rate * 1_000) / 10} %`;

/** All scenarios differ by the same amount: without variance there is no interval. */
function isOneSided({ ci_lower, scenarios, scenarios_better, scenarios_worse }: UnwordedComparison): boolean {
  return ci_lower === null && Math.max(scenarios_better, scenarios_worse) === scenarios;
}

/** The interval the verdict rests on. */
function intervalText({
  ci_lower_adjusted: lower,
  ci_upper_adjusted: upper,
  adjusted_for: tests,
}: UnwordedComparison): string {
  if (lower === null || upper === null) return "";
  const adjusted = tests > 1 ? `, adjusted for ${tests} scores` : "";
  return ` (95 % interval ${signedText(lower)} to ${signedText(upper)}${adjusted})`;
}

function scenariosNeededText({ scenarios, scenarios_needed }: UnwordedComparison, smallestEffect: number): string {
  if (scenarios_needed === null) return "";
  if (scenarios_needed <= scenarios)
    return ` ${scenarios} scenarios are enough to see a difference of ${smallestEffect}.`;
  const more = scenarios_needed - scenarios;
  return ` About ${more} more ${more === 1 ? "scenario" : "scenarios"} would show a difference of ${smallestEffect}.`;
}
