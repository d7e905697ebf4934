import { alpha } from "../../base/numbers.ts";
import { mean, standardDeviation } from "./descriptive.ts";
import { normalQuantile } from "./distributions.ts";
import { lowerBoundOfMean, meanAtMostP, plausibleUnseen, unseenReach } from "./mean-bound.ts";

/** One gain (candidate - baseline) per scenario, and what a scenario that was not seen may lose at most. */
export interface Gains {
  readonly values: readonly number[];
  /** True when every reply scores 0 or 1: then any scenario can lose everything. */
  readonly binary?: boolean;
  readonly largestLoss?: number;
  /** True when the largest loss is an assumption, not the end of a scale. */
  readonly openEnded?: boolean;
  /** The differences, if the values are shifted; they tell how many scenarios differ. */
  readonly differing?: readonly number[];
}

export interface NotWorseTest {
  readonly scenarios: number;
  readonly effect: number;
  /** Lower end of the one-sided 95 % interval; null below the minimum number of scenarios, or when not asked for. */
  readonly lower: number | null;
  /** Null below the minimum number of scenarios. */
  readonly p: number | null;
  readonly method: string;
}

/** Fewer scenarios say too little about the shape of their differences. */
export const minimumScenarios = 5;

/**
 * Tests whether the mean gain lies above -at. The scenario that was not seen loses as much as is possible when scores are 0
 * or 1, and when too few scenarios differ to show how large differences are. Otherwise it is a little worse than the worst.
 */
export function testNotWorse(
  gains: Gains,
  margin: number,
  { at = margin, bound = true }: { at?: number; bound?: boolean } = {},
): NotWorseTest {
  const { values } = gains;
  const scenarios = values.length;
  const effect = mean(values) ?? 0;
  if (scenarios < minimumScenarios) {
    const method = `none: fewer than ${minimumScenarios} scenarios`;
    return { scenarios, effect, lower: null, p: null, method };
  }
  const { unseen, method } = unseenGain(gains, margin);
  return {
    scenarios,
    effect,
    lower: bound ? lowerBoundOfMean(values, { unseen, level: 1 - alpha }) : null,
    p: meanAtMostP(values, { unseen, at: -at }),
    method,
  };
}

const informative = 10;

/** Differences below a tenth of the margin tell nothing about the size of larger ones, just as equal scores do. */
function unseenGain(
  { values, binary = false, largestLoss = 1, openEnded = false, differing = values }: Gains,
  margin: number,
): { unseen: number; method: string } {
  const counting = differing.filter((value) => Math.abs(value) > margin / 10).length;
  const isSpread = counting >= Math.min(informative, 0.8 * values.length);
  const counted = `over ${values.length} scenarios`;
  if (binary || !isSpread) return { unseen: -largestLoss, method: `bound for any distribution ${counted}` };
  const lowest = openEnded ? Number.NEGATIVE_INFINITY : -largestLoss;
  return { unseen: Math.max(lowest, plausibleUnseen(values)), method: `bound with an unseen scenario ${counted}` };
}

/** The spread between scenarios, and the part of it that more attempts reduce. */
export interface GainSpread {
  readonly scenarios: number;
  readonly attempts: number;
  readonly deviation: number;
  /** Variance of the gain of a single attempt within a scenario; null when no scenario has two attempts. */
  readonly attemptVariance: number | null;
  /** Distance of the unseen scenario from the mean, in standard deviations; null when it is the largest possible loss. */
  readonly reach: number | null;
  /** How far the gains are skewed to the left; 0 when they are not. */
  readonly leftSkew: number;
  readonly largestLoss: number;
}

/** How {@link testNotWorse} would treat such gains, for {@link planNotWorse}. */
export function spreadOf(
  gains: Gains,
  { margin, attempts, attemptVariance }: { margin: number } & Pick<GainSpread, "attempts" | "attemptVariance">,
): GainSpread {
  const { values, largestLoss = 1 } = gains;
  const deviation = standardDeviation(values) ?? 0;
  const { unseen } = unseenGain(gains, margin);
  const lowest = Math.min(...values);
  const isAny = unseen <= -largestLoss && lowest > -largestLoss;
  const reach = isAny || gains.binary || deviation === 0 ? null : ((mean(values) ?? 0) - lowest) / deviation;
  return {
    scenarios: values.length,
    attempts,
    deviation,
    attemptVariance,
    reach,
    leftSkew: leftSkewOf(values),
    largestLoss,
  };
}

function leftSkewOf(values: readonly number[]): number {
  const [center, deviation] = [mean(values) ?? 0, standardDeviation(values) ?? 0];
  if (deviation === 0) return 0;
  const cubes = values.reduce((sum, value) => sum + ((value - center) / deviation) ** 3, 0);
  return Math.max(0, -cubes / values.length);
}

export interface NotWorsePlan {
  /** Scenarios that would show it with the same number of attempts; null above a million. */
  readonly scenarios: number | null;
  /** Attempts that would show it with the same scenarios; null when no number up to 100 would, or when nothing is known. */
  readonly attempts: number | null;
}

const maximumScenarios = 1_000_000;
const maximumAttempts = 100;

/** The size of a comparison that shows "not worse by the margin" in four of five cases, if the runs are in truth equal. */
export function planNotWorse(spread: GainSpread, margin: number): NotWorsePlan {
  const { scenarios, attempts, deviation, attemptVariance } = spread;
  const between = Math.max(0, deviation ** 2 - (attemptVariance ?? 0) / attempts);
  const deviationWith = (made: number): number =>
    attemptVariance === null ? deviation : Math.sqrt(between + attemptVariance / made);
  const needed = (made: number): number | null =>
    smallestWhole(minimumScenarios, maximumScenarios, (count) =>
      reaches({ ...spread, deviation: deviationWith(made) }, { count, margin }),
    );
  return {
    scenarios: needed(attempts),
    attempts:
      attemptVariance === null || attemptVariance === 0
        ? null
        : smallestWhole(attempts + 1, maximumAttempts, (made) => (needed(made) ?? Infinity) <= scenarios),
  };
}

/** The smallest number of scenarios with which the test can pass at all when no scenario differs. */
export function scenariosWithoutLoss(margin: number, largestLoss = 1): number {
  const share = margin / largestLoss;
  return share >= 1 ? minimumScenarios : Math.max(minimumScenarios, Math.ceil(Math.log(alpha) / Math.log1p(-share)));
}

const z95 = normalQuantile(1 - alpha);
const z80 = normalQuantile(0.8);

/**
 * Approximates the test for `count` scenarios: the unseen one lowers the mean by its share of 1 / (count + 1) and widens the
 * bound. Without any spread the widening is that of an exponential value, 3 in all, which gives the exact number.
 */
function reaches(
  { deviation, reach, leftSkew, largestLoss, scenarios }: GainSpread,
  { count, margin }: { count: number; margin: number },
): boolean {
  if (reach === null && count < scenariosWithoutLoss(margin, largestLoss)) return false;
  // The lowest of more values lies deeper: like the logarithm of their number if the tail is exponential.
  const deepest = (reach ?? 0) * Math.max(1, Math.log(count) / Math.log(scenarios));
  const tail = Math.max(deepest, normalQuantile(count / (count + 1))) + unseenReach(count);
  const unseen = (reach === null ? largestLoss : Math.min(largestLoss, tail * deviation)) / (count + 1);
  const error = deviation / Math.sqrt(count);
  // In a skewed distribution a low mean comes with a large spread, so the bound varies more than the mean.
  const varying = error * (1 + (leftSkew * z95) / Math.sqrt(count));
  return z80 * varying + unseen + Math.hypot(z95 * error, 2 * unseen) <= margin * 1.001;
}

/** The smallest whole number in a range for which a monotone condition holds; null when it holds for none. */
function smallestWhole(from: number, to: number, holds: (value: number) => boolean): number | null {
  let tooSmall = from - 1;
  let enough = from;
  while (!holds(enough)) {
    if (enough >= to) return null;
    tooSmall = enough;
    enough = Math.min(to, enough * 2);
  }
  while (enough - tooSmall > 1) {
    const middle = Math.floor((tooSmall + enough) / 2);
    if (holds(middle)) enough = middle;
    else tooSmall = middle;
  }
  return enough;
}
