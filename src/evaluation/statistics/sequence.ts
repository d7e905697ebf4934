import { alpha } from "../../base/numbers.ts";

/**
 * A confidence sequence for the mean of scenario-level differences by betting (Waudby-Smith and Ramdas 2024): a capital starts
 * at 1 and bets on every scenario, in the planned order, that the mean lies above m. If it does not, no strategy is expected to
 * win, so the capital reaches 40 at any time with a probability of at most 1/40 (Ville). The interval holds at every moment.
 */
export interface SequenceUnit {
  /** Null when it tells nothing about "better" and "not worse": the baseline has no reply. */
  readonly difference: number | null;
  /** The difference that "worse" rests on, where it is another. Default: `difference`. */
  readonly most?: number | null | undefined;
  /** True when a score between 0 and 1 was seen in the scenario. Where all are 0 or 1, any scenario can lose everything. */
  readonly fractional: boolean;
}

export interface SequenceOptions {
  /** Planned number of scenarios; bet sizes target the effect that this many can detect. */
  readonly planned: number;
  /** The smallest and the largest possible difference. Default: -1 and 1. */
  readonly lowest?: number;
  readonly highest?: number;
  /** "Not worse" means above -margin. */
  readonly margin?: number | undefined;
  /**
   * True: every scenario may lose as much as the scale allows, so that the verdicts hold for any distribution. Else the largest loss
   * is estimated once the spread is known, which rests on two runs that fail alike. Scores of one run are skewed by nature.
   */
  readonly anyDistribution?: boolean;
  /** Number of comparisons that must all be right at once with 95 %: each needs so many times the capital (Bonferroni). Default 1. */
  readonly comparisons?: number | undefined;
  /** `false` omits intermediate points. */
  readonly trace?: boolean;
}

type BetVerdict = "better" | "worse" | "not_worse";

interface SequencePoint {
  readonly scenarios: number;
  readonly effect: number;
  readonly lower: number;
  readonly upper: number;
}

export interface Sequence extends SequencePoint {
  /** Null while undecided. With a verdict, the figures are those at the scenario that decided. */
  readonly verdict: BetVerdict | null;
  /** With "not worse", the lower end of the one-sided 95 % interval. */
  readonly bound: number | null;
  /** True when "better" or "not worse" would not hold yet for any distribution: rare complete failures are not excluded. */
  readonly assumesSpread: boolean;
  /** The number of units read, those without a difference included. */
  readonly reads: number;
  /** The way there, with at most `mostPoints` points. */
  readonly points: readonly SequencePoint[];
}

const mostPoints = 60;

/** The first verdict and the number of scenarios that it took, without the interval. */
export function decideSequence(
  units: readonly SequenceUnit[],
  options: SequenceOptions,
): Pick<Sequence, "verdict" | "scenarios" | "assumesSpread"> {
  const above = createSide(units, options, 1);
  const exactly = createSide(units, { ...options, anyDistribution: true }, 1);
  const worse = createSide(units, options, -1).capitalAt(0);
  const floor = -(options.margin ?? 0);
  const { comparisons = 1 } = options;
  const claims = [
    { verdict: "better", capital: above.capitalAt(0), exact: exactly.capitalAt(0), enough },
    { verdict: "not_worse", capital: above.capitalAt(floor), exact: exactly.capitalAt(floor), enough: enoughOneSided },
  ] as const;
  const isAsked = (verdict: BetVerdict): boolean => verdict === "better" || options.margin !== undefined;
  const held = new Set<BetVerdict>();
  for (let scenarios = 0; scenarios < units.length;) {
    const isWorse = worse.bet(scenarios) >= enough * comparisons;
    const reached = claims.filter(({ verdict, capital, exact, enough: needed }) => {
      if (exact.bet(scenarios) >= needed * comparisons) held.add(verdict);
      return capital.bet(scenarios) >= needed * comparisons && isAsked(verdict);
    });
    scenarios += 1;
    const [better, notWorse] = claims.map((claim) => reached.find((found) => found === claim)?.verdict ?? null);
    const verdict = better ?? (isWorse ? "worse" : notWorse) ?? null;
    if (verdict !== null) return { verdict, scenarios, assumesSpread: verdict !== "worse" && !held.has(verdict) };
  }
  return { verdict: null, scenarios: units.length, assumesSpread: false };
}

/** Follows the differences in their order and stops at the first verdict. */
export function followSequence(units: readonly SequenceUnit[], options: SequenceOptions): Sequence {
  const { verdict, scenarios, assumesSpread } = decideSequence(units, options);
  const { trace = true, comparisons = 1 } = options;
  const above = createSide(units, options, 1);
  const below = createSide(units, options, -1);
  const pointAt = (count: number): SequencePoint => {
    const seen = units.slice(0, count).flatMap(({ difference }) => difference ?? []);
    const sum = seen.reduce((total, difference) => total + difference, 0);
    const needed = enough * comparisons;
    const [lower, upper] = [above.bound(count, needed), -below.bound(count, needed)];
    // Both bounds are right at once in 95 of 100 sequences; in the others they may pass each other.
    const middle = (lower + upper) / 2;
    return {
      scenarios: seen.length,
      effect: seen.length === 0 ? 0 : sum / seen.length,
      lower: lower > upper ? middle : lower,
      upper: lower > upper ? middle : upper,
    };
  };
  const step = Math.max(1, Math.ceil(scenarios / mostPoints));
  const counts = Array.from({ length: Math.floor((scenarios - 1) / step) }, (_, index) => (index + 1) * step);
  const last = pointAt(scenarios);
  const bound =
    verdict === "not_worse" ? Math.max(last.lower, above.bound(scenarios, enoughOneSided * comparisons)) : null;
  return {
    ...last,
    verdict,
    bound,
    assumesSpread,
    reads: scenarios,
    points: trace && scenarios > 0 ? [...counts.map(pointAt), last] : [],
  };
}

/** The fewest scenarios with which a verdict is possible: every scenario differs as much as it can. */
export function fewestScenarios(options: SequenceOptions): number {
  const { lowest = -1, highest = 1, margin = 0 } = options;
  const most = 1_000;
  const needed = [highest, lowest].map((difference) => {
    const units = Array.from({ length: most }, () => ({ difference, fractional: false }));
    const side = createSide(units, options, difference > 0 ? 1 : -1);
    const capital = side.capitalAt(difference > 0 ? -margin : 0);
    let count = 0;
    const needed = (difference > 0 && margin > 0 ? enoughOneSided : enough) * (options.comparisons ?? 1);
    while (count < most && capital.bet(count) < needed) count += 1;
    return count + 1;
  });
  return Math.min(...needed);
}

/** A capital of 40 is reached by chance in at most one of 40 sequences, on each side: 5 % in all. */
const enough = 2 / alpha;
/** "Not worse" is a statement about one side, at the same 5 % as without a sequence. */
const enoughOneSided = 1 / alpha;

/**
 * Sizes of bets, in units of the effect per standard deviation that the planned scenarios show in four of five cases, and the
 * shares of the capital that are bet this way. A mixture of capitals is a capital.
 */
const bets = [
  { size: 0.35, share: 0.1 },
  { size: 0.7, share: 0.55 },
  { size: 1.4, share: 0.2 },
  { size: 3, share: 0.1 },
  { size: 7, share: 0.05 },
] as const;
/** z for 5 % and 80 % power (1.96 + 0.84), times √1.8, the extra length of a sequential test. */
const planned80 = 3.76;

/** The largest share of the capital that one scenario may lose: less where the range of the differences is estimated. */
const largestShare = { known: 0.9, estimated: 0.75 };
/** Below this number the standard deviation is an assumption. */
const firstEstimate = 5;
const assumedDeviation = 0.5;
/** Differences below this, or below a tenth of the margin, tell nothing about the size of larger ones. */
const smallestDifference = 0.002;
const informative = 6;
const costlyDeviations = 3;

/** One side: the differences as seen from there, and what was known before each of them. */
interface BetSide {
  /** The capital that bets on a mean above `mean`. */
  capitalAt(mean: number): Capital;
  /** The largest mean that a capital has refuted within so many scenarios. */
  bound(count: number, needed: number): number;
}

interface Capital {
  /** Bets on the scenario at this index and returns the capital, which began at 1. */
  bet(index: number): number;
}

function createSide(
  units: readonly SequenceUnit[],
  { planned, lowest = -1, highest = 1, margin = 0, anyDistribution = false }: SequenceOptions,
  sign: 1 | -1,
): BetSide {
  const values = units.map(({ difference, most = difference }) => {
    const seen = sign === 1 ? difference : most;
    return seen === null ? null : sign * seen;
  });
  const [low, high] = sign === 1 ? [lowest, highest] : [-highest, -lowest];
  const known = knowledgeBefore(units, {
    values,
    low,
    smallest: Math.max(smallestDifference, margin / 10),
    anyDistribution,
  });
  const target = planned80 / Math.sqrt(Math.max(1, planned));

  const capitalAt = (seenMean: number): Capital => {
    const mean = sign * seenMean;
    const parts = bets.map(({ share }) => share as number);
    let total = 1;
    return {
      bet(index) {
        const value = values[index] ?? null;
        if (value === null) return total;
        const { deviation, floor, isEstimated } = known[index] ?? firstKnowledge(low);
        const most = largestShare[isEstimated ? "estimated" : "known"] / Math.max(1e-9, mean - floor);
        const win = value - mean;
        let sum = 0;
        for (const [part, { size }] of bets.entries()) {
          const stake = Math.min((size * target) / deviation, most);
          // A difference below the estimated range loses no more than everything.
          const capital = (parts[part] ?? 0) * Math.max(0, 1 + stake * win);
          parts[part] = capital;
          sum += capital;
        }
        total = sum;
        return total;
      },
    };
  };

  const refutes = (mean: number, count: number, needed: number): boolean => {
    const capital = capitalAt(sign * mean);
    for (let index = 0; index < count; index++) if (capital.bet(index) >= needed) return true;
    return false;
  };

  return {
    capitalAt,
    bound(count, needed) {
      // Every stake wins less against a higher mean, so the refuted means are all below one bound.
      let [refuted, open] = [low, high];
      while (open - refuted > 1e-4) {
        const middle = (refuted + open) / 2;
        if (refutes(middle, count, needed)) refuted = middle;
        else open = middle;
      }
      return refuted;
    },
  };
}

interface Knowledge {
  readonly deviation: number;
  /** The smallest difference to reckon with. */
  readonly floor: number;
  readonly isEstimated: boolean;
}

const firstKnowledge = (low: number): Knowledge => ({ deviation: assumedDeviation, floor: low, isEstimated: false });

/**
 * The deviation and the floor for each scenario, estimated only from the scenarios before it. The floor is the end of the scale
 * while scores are 0 or 1 or rarely differ, and while rare drops may not have shown. Otherwise it lies below the worst
 * difference so far, or as far below the mean as the best one lies above it: a model that rarely fails does so on either side.
 * The distance below is large while there are few scenarios, or if they are skewed. The factors are calibrated by simulation.
 */
function knowledgeBefore(
  units: readonly SequenceUnit[],
  {
    values,
    low,
    smallest,
    anyDistribution,
  }: {
    values: readonly (number | null)[];
    low: number;
    smallest: number;
    anyDistribution: boolean;
  },
): Knowledge[] {
  let [n, sum, squares, cubes, telling] = [0, 0, 0, 0, 0];
  let before: number | null = null;
  let [worst, best] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return values.map((value, index) => {
    let knowledge = firstKnowledge(low);
    if (value === null) return knowledge;
    if (n >= firstEstimate) {
      const mean = sum / n;
      const variance = Math.max(1e-12, squares / n - mean ** 2);
      const deviation = Math.sqrt((variance * n) / (n - 1)) * (1 + 2 / n);
      const leftSkew = Math.max(0, -(cubes / n - (3 * mean * squares) / n + 2 * mean ** 3) / variance ** 1.5);
      // Nearly equal differences say nothing about rare drops: so many would have shown those that cost a few deviations.
      const costly = Math.min(0.999, (costlyDeviations * Math.sqrt(variance)) / Math.max(1e-9, mean - low));
      const wouldShow = n * Math.log1p(-costly) <= Math.log(alpha);
      const isEstimated = !anyDistribution && wouldShow && telling >= Math.min(informative, 0.8 * n);
      const reach = 40 / n ** 2 + (20 * leftSkew) / n;
      const lowest = Math.min(worst, 2 * mean - best) - reach * deviation;
      knowledge = { deviation, floor: isEstimated ? Math.max(low, lowest) : low, isEstimated };
    }
    sum += value;
    squares += value ** 2;
    cubes += value ** 3;
    worst = Math.min(worst, value);
    best = Math.max(best, value);
    // A difference that only repeats the one before tells nothing about the spread.
    const isNew = Math.abs(value) > smallest && Math.abs(value - (before ?? 0)) > smallest;
    if (isNew && (units[index]?.fractional ?? false)) telling += 1;
    before = value;
    n += 1;
    return knowledge;
  });
}
