import { alpha } from "../../base/numbers.ts";
import { mean, standardDeviation } from "./descriptive.ts";
import { normalQuantile } from "./distributions.ts";
import { leftSkewOf, lowerBoundOfMean, meanAtMostP, plausibleUnseen, unseenReach } from "./mean-bound.ts";

/** One gain (candidate - baseline) per scenario, and what a scenario that was not seen may lose at most. */
export interface Gains {
  readonly values: readonly number[];
  /** True when every reply scores 0 or 1: then any scenario can lose everything. */
  readonly binary?: boolean;
  readonly largestLoss?: number;
  /** True when the largest loss is an assumption, not the end of a scale. */
  readonly openEnded?: boolean;
  /** Unshifted differences; used to count scenarios that differ. */
  readonly differing?: readonly number[];
}

export interface NotWorseTest {
  readonly scenarios: number;
  readonly effect: number;
  /** Lower end of the one-sided 95 % interval; null below the minimum number of scenarios, or when not asked for. */
  readonly lower: number | null;
  /** Null below the minimum number of scenarios. */
  readonly p: number | null;
  /** True when `p` rests on the spread that was seen: rare complete failures, if no scenario had one, are not excluded. */
  readonly assumesSpread: boolean;
  readonly method: string;
}

/** Fewer scenarios say too little about the shape of their differences. */
export const minimumScenarios = 5;

/** Tests whether the mean gain lies above -margin. The bound itself does not depend on the margin. */
export function testNotWorse(gains: Gains, margin: number, { bound = true }: { bound?: boolean } = {}): NotWorseTest {
  const { values } = gains;
  const scenarios = values.length;
  const effect = mean(values) ?? 0;
  if (scenarios < minimumScenarios) {
    const method = `none: fewer than ${minimumScenarios} scenarios`;
    return { scenarios, effect, lower: null, p: null, assumesSpread: false, method };
  }
  const { largestLoss = 1 } = gains;
  const { unseen, method } = unseenGain(gains);
  const p = meanAtMostP(values, { unseen, at: -margin });
  return {
    scenarios,
    effect,
    lower: bound ? lowerBoundOfMean(values, { unseen, level: 1 - alpha }) : null,
    p,
    assumesSpread:
      p <= alpha && unseen > -largestLoss && meanAtMostP(values, { unseen: -largestLoss, at: -margin }) > alpha,
    method,
  };
}

/** So many times the typical difference is the loss that has to be excluded before the worst difference is estimated. */
const typicalFactor = 4;

/**
 * A scenario that was not seen loses as much as is possible. Only where a mean loss of a few typical differences is excluded
 * even so, it loses a little more than the worst that was seen: scenarios that are nearly equal say nothing about rare drops.
 */
function unseenGain({ values, binary = false, largestLoss = 1, openEnded = false, differing = values }: Gains): {
  unseen: number;
  method: string;
} {
  const counted = `over ${values.length} scenarios`;
  const excludesTypical = (): boolean =>
    meanAtMostP(differing, { unseen: -1, at: -typicalFactor * typicalSize(differing) }) <= alpha;
  if (binary || !excludesTypical()) return { unseen: -largestLoss, method: `bound for any distribution ${counted}` };
  const lowest = openEnded ? Number.NEGATIVE_INFINITY : -largestLoss;
  return { unseen: Math.max(lowest, plausibleUnseen(values)), method: `bound with an unseen scenario ${counted}` };
}

/** The median size of the differences. */
function typicalSize(differences: readonly number[]): number {
  const sizes = differences.map(Math.abs).toSorted((left, right) => left - right);
  const middle = Math.floor(sizes.length / 2);
  const upper = sizes[middle] ?? 0;
  return sizes.length % 2 === 1 ? upper : ((sizes[middle - 1] ?? 0) + upper) / 2;
}

/** The spread between scenarios, and the part of it that more attempts reduce. */
interface GainSpread {
  readonly scenarios: number;
  readonly attempts: number;
  readonly deviation: number;
  /** Variance of the gain of a single attempt within a scenario; null when no scenario has two attempts. */
  readonly attemptVariance: number | null;
  /** Null where the unseen scenario is always the largest possible loss, because scores are 0 or 1. */
  readonly typical: number | null;
  /** Distance of the worst scenario from the mean, in standard deviations. */
  readonly reach: number;
  readonly leftSkew: number;
  readonly largestLoss: number;
}

/** The spread of the gains that {@link planNotWorse} plans for. */
export function spreadOf(
  gains: Gains,
  { attempts, attemptVariance }: Pick<GainSpread, "attempts" | "attemptVariance">,
): GainSpread {
  const { values, binary = false, largestLoss = 1, differing = values } = gains;
  const deviation = standardDeviation(values) ?? 0;
  return {
    scenarios: values.length,
    attempts,
    deviation,
    attemptVariance,
    typical: binary ? null : typicalSize(differing),
    reach: deviation === 0 ? 0 : ((mean(values) ?? 0) - Math.min(...values)) / deviation,
    leftSkew: leftSkewOf(values),
    largestLoss,
  };
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
  const needed = (made: number): number | null => {
    const withAttempts = attemptVariance === null ? deviation : Math.sqrt(between + attemptVariance / made);
    const smaller = deviation === 0 ? 1 : withAttempts / deviation;
    const typical = spread.typical === null ? null : spread.typical * smaller;
    return smallestWhole(minimumScenarios, maximumScenarios, (count) =>
      reaches({ ...spread, deviation: withAttempts, typical }, { count, margin }),
    );
  };
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
  { deviation, typical, reach, leftSkew, largestLoss, scenarios }: GainSpread,
  { count, margin }: { count: number; margin: number },
): boolean {
  const error = deviation / Math.sqrt(count);
  // In a skewed distribution a low mean comes with a large spread, so the bound varies more than the mean.
  const varying = error * (1 + (leftSkew * z95) / Math.sqrt(count));
  const excludes = (loss: number, unseenLoss: number): boolean => {
    const unseen = unseenLoss / (count + 1);
    return z80 * varying + unseen + Math.hypot(z95 * error, 2 * unseen) <= loss * 1.001;
  };
  const excludesAny = (loss: number): boolean =>
    count >= scenariosWithoutLoss(loss, largestLoss) && excludes(loss, largestLoss);
  if (excludesAny(margin)) return true;
  // The median size varies too, and is often smaller; the factor is the result of simulations.
  const smallTypical = (typical ?? 0) * Math.max(0, 1 - (1.5 * z80) / Math.sqrt(count));
  if (typical === null || !excludesAny(typicalFactor * smallTypical)) return false;
  // The lowest of more values lies deeper: like the logarithm of their number if the tail is exponential.
  const deepest = reach * Math.max(1, Math.log(count) / Math.log(scenarios));
  const tail = Math.max(deepest, normalQuantile(count / (count + 1))) + unseenReach(count, leftSkew);
  return excludes(margin, Math.min(largestLoss, tail * deviation));
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
