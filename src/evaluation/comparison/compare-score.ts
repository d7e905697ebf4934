import { alpha, formatFigure } from "../../base/numbers.ts";
import type { Verdict } from "../../contract/schemas/comparison.ts";
import { scoreTitle } from "../../contract/schemas/score-names.ts";
import { pValueText, signedText } from "../format.ts";
import { allEqual, standardDeviation } from "../statistics/descriptive.ts";
import { twoSidedP } from "../statistics/distributions.ts";
import { clusterInterval, tIntervalOfMean, withinDifferences } from "../statistics/intervals.ts";
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
  /** Standard error of `effect`; null when there is no interval. */
  readonly stderr: number | null;
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
  const { mean, stderr, clusters, interval: wide } = clusterInterval(differences.map((sum) => ({ sum, count: 1 })));
  const areScores = pairs.every(isScored);
  const interval = wide && areScores ? withinDifferences(wide) : wide;
  const effect = Math.abs(mean ?? 0) < rounding ? 0 : (mean ?? 0);
  const better = differences.filter((difference) => difference > rounding).length;
  const worse = differences.filter((difference) => difference < -rounding).length;
  const average = (side: "baseline" | "candidate") => pairs.reduce((sum, pair) => sum + pair[side], 0) / pairs.length;
  const tested =
    interval && stderr
      ? { p: twoSidedP(effect / stderr, clusters - 1), method: `t over ${clusters} scenarios` }
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
    stderr: interval ? stderr : null,
    deviation: standardDeviation(differences),
    widest: areScores ? 1 : Number.POSITIVE_INFINITY,
  };
}

const isScored = ({ baseline, candidate }: ScenarioPair): boolean =>
  Math.min(baseline, candidate) >= -rounding && Math.max(baseline, candidate) <= 1 + rounding;

export interface AdjustedInterval {
  readonly ci_lower_adjusted: number | null;
  readonly ci_upper_adjusted: number | null;
}

/** The interval of an effect at another confidence level, as the correction for several tests needs it. */
export function intervalAt({ effect, stderr, scenarios, widest }: ScoreDifference, level: number): AdjustedInterval {
  if (stderr === null) return { ci_lower_adjusted: null, ci_upper_adjusted: null };
  const wide = tIntervalOfMean({ center: effect, stderr, degrees: scenarios - 1 }, level);
  const { lower, upper } = widest === 1 ? withinDifferences(wide) : wide;
  return { ci_lower_adjusted: lower, ci_upper_adjusted: upper };
}

/** The difference of one score, corrected for the number of scores compared. */
export interface ScoreComparison extends Omit<ScoreDifference, "deviation" | "widest" | "stderr">, AdjustedInterval {
  /** Number of scores tested, which the adjusted interval and p value allow for. */
  readonly adjusted_for: number;
  /** The smallest difference that this many scenarios show with 80 % power; null when above the largest possible one. */
  readonly detectable_effect: number | null;
  /** Scenarios needed to show a difference of `smallestEffect` with 80 % power. */
  readonly scenarios_needed: number | null;
  /** Adjusted by Holm's method. */
  readonly p_adjusted: number | null;
  readonly verdict: Verdict;
  readonly sentence: string;
}

export function toVerdict(
  {
    p,
    effect,
    scenarios,
    scenarios_better,
    scenarios_worse,
  }: Pick<ScoreDifference, "p" | "effect" | "scenarios" | "scenarios_better" | "scenarios_worse">,
  adjusted: number | null,
): Verdict {
  if (scenarios < 2) return "undecided";
  if (p === null && scenarios_better + scenarios_worse === 0) return "same";
  if (adjusted === null || adjusted >= alpha) return "no_difference_seen";
  return effect > 0 ? "better" : "worse";
}

/** The verdict in words for scores that only compare replies with references. */
export function toCloseness(verdict: Verdict): Verdict {
  return verdict === "better" ? "closer" : verdict === "worse" ? "less_close" : verdict;
}

type UnwordedComparison = Omit<ScoreComparison, "sentence">;

interface WordOptions {
  readonly smallestEffect: number;
  /** `closeness`: the score only says how close replies are to their references. */
  readonly says?: "verdict" | "closeness";
}

const notBetter = ". That does not say which run is right more often: add checks or a judge.";

/** The verdict as a sentence without statistical terms. */
export function toSentence(difference: UnwordedComparison, { smallestEffect, says = "verdict" }: WordOptions): string {
  const [more, less] =
    says === "closeness" ? ["closer to the references", "less close to the references"] : ["better", "worse"];
  const { effect, scenarios, verdict, p_adjusted: adjusted } = difference;
  const name = scoreTitle(difference.name);
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
