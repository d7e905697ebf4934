import type { Distance, Place } from "../../contract/schemas/comparison.ts";
import { isBinary } from "../is-binary.ts";
import { mean as meanOf } from "../statistics/mean.ts";
import { scenariosNeeded } from "../statistics/power.ts";
import { scoreStats } from "../statistics/score-stats.ts";
import { adjustedPs } from "./adjusted-ps.ts";
import { compareScore, type ScoreDifference } from "./compare-score.ts";
import type { SharedScenario, SharedScore } from "./shared-score.ts";
import { toVerdict } from "./verdict.ts";

/** One run of a ranking. Runs go by their place in the list that was ranked. */
export interface RankedScore {
  readonly run: number;
  readonly place: Place;
  readonly mean: number;
  readonly ci_lower: number | null;
  readonly ci_upper: number | null;
  readonly to_first: Distance | null;
  /** Runs that are shown to be better. */
  readonly worse_than: readonly number[];
}

export interface ScoreRanking {
  /** The highest mean first. */
  readonly runs: readonly RankedScore[];
  readonly scenarios: number;
  readonly interactions: number;
  /** Scenarios that show a difference of `smallestEffect` between the first two in four of five cases. */
  readonly scenarios_needed: number | null;
}

interface Pair extends Distance {
  readonly better: number;
  readonly worse: number;
  readonly isShown: boolean;
  readonly deviation: number | null;
}

/** The smallest difference worth knowing about. */
export const smallestEffect = 0.05;

/**
 * Ranks runs by one score. Each is compared with each other, paired by scenario, and the chance that any of these comparisons
 * raises a false alarm is held (Holm): the run that is really best is among those no other is shown to be better than. `binary`: the
 * score is 0 or 1 for every reply, as checks are.
 */
export function rankScore(name: string, shared: SharedScore, { binary: byNature = isBinary(name) } = {}): ScoreRanking {
  const scenarios = shared.scenarios();
  const count = scenarios[0]?.means.length ?? 0;
  const binary = byNature && !shared.isFractional();
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
    const beaten = shown.filter(({ better }) => better === run).length;
    return {
      run,
      place: worse_than.length > 0 ? "behind" : beaten === count - 1 && count > 1 ? "best" : "may_be_best",
      mean: means[run] ?? 0,
      ci_lower,
      ci_upper,
      to_first: rank === 0 ? null : distanceOf(pairs.find(({ better, worse }) => better === order[0] && worse === run)),
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

/** Every run with every one that has a lower mean; the first two come first. */
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
  const adjusted = adjustedPs(differences.map(({ p }) => p));
  return couples.map((couple, index) => {
    const difference = differences[index] as ScoreDifference;
    const p_adjusted = adjusted[index] ?? null;
    const { effect, ci_lower, ci_upper, deviation } = difference;
    const isShown = toVerdict(difference, p_adjusted) === "worse";
    return { ...couple, effect, ci_lower, ci_upper, p_adjusted, isShown, deviation };
  });
}

function distanceOf(pair: Pair | undefined): Distance | null {
  if (!pair) return null;
  const { effect, ci_lower, ci_upper, p_adjusted } = pair;
  return { effect, ci_lower, ci_upper, p_adjusted };
}

function neededFor(firstTwo: Pair | undefined, tests: number): number | null {
  return firstTwo?.deviation ? scenariosNeeded(smallestEffect, firstTwo.deviation, tests) : null;
}
