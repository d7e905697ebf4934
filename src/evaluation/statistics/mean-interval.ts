import { mean } from "./descriptive.ts";
import { defaultLevel, tInterval, type Interval } from "./intervals.ts";
import { weightedMeanBelow } from "./mean-bound.ts";

/** The smallest and the largest possible value. */
export interface Scale {
  readonly lowest: number;
  readonly highest: number;
}

/** Scores, and differences between scores. */
export const scoreScale: Scale = { lowest: 0, highest: 1 };
export const differenceScale: Scale = { lowest: -1, highest: 1 };

/**
 * The interval of the mean of values on a bounded scale: at each end, the wider of Student's and of the one that belongs to
 * {@link rareValueP}. The first alone does not know of values that few scenarios have not shown. Null below two values, and when all are equal.
 */
export function meanInterval(values: readonly number[], scale: Scale, level = defaultLevel): Interval | null {
  const student = tInterval(values, level);
  if (!student) return null;
  const lower = Math.min(student.lower, lowerEnd(values, scale, { level, from: student.lower }));
  const upper = Math.max(student.upper, -lowerEnd(mirrored(values), mirrorOf(scale), { level, from: -student.upper }));
  return { lower: Math.max(scale.lowest, lower), upper: Math.min(scale.highest, upper) };
}

/**
 * The one-sided p value of "the mean is at most `at`" by the Bayesian bootstrap (Rubin 1981) with half a value at each end of the
 * scale. For 0/1 values it belongs to the interval of Jeffreys' prior.
 */
export const rareValueP = (values: readonly number[], scale: Scale, at: number): number =>
  weightedMeanBelow(withEnds(values, scale), at);

const mirrored = (values: readonly number[]): number[] => values.map((value) => -value);
const mirrorOf = ({ lowest, highest }: Scale): Scale => ({ lowest: -highest, highest: -lowest });

const precision = 1e-4;

/** The lower end if it is below `from`, else `from`: most of the time one look is enough to know. */
function lowerEnd(values: readonly number[], scale: Scale, { level, from }: { level: number; from: number }): number {
  const chance = (1 - level) / 2;
  const weighted = withEnds(values, scale);
  /** Above 0 right of the end. Its logarithm is nearly straight. */
  const excess = (at: number): number => Math.log(Math.max(1e-12, weightedMeanBelow(weighted, at)) / chance);
  let high = Math.min(from, mean(values) ?? scale.lowest);
  let above = excess(high);
  if (above <= 0) return high;
  let low = scale.lowest;
  let below = Math.log(1e-12 / chance);
  // False position (Illinois): the end that stays counts half.
  while (high - low > precision) {
    const share = Math.min(0.95, Math.max(0.05, below / (below - above)));
    const next = low + (high - low) * share;
    const found = excess(next);
    if (Math.abs(found) < 1e-3) return next;
    if (found > 0) {
      [high, above] = [next, found];
      below /= 2;
    } else {
      [low, below] = [next, found];
      above /= 2;
    }
  }
  return low;
}

/** More different values than this are rounded to as many, which changes their mean by far less than it varies. */
const mostDifferent = 200;

function withEnds(values: readonly number[], { lowest, highest }: Scale): ReadonlyMap<number, number> {
  const step = (highest - lowest) / mostDifferent;
  const rounded = (value: number): number => lowest + step * Math.round((value - lowest) / step);
  const isLarge = new Set(values).size > mostDifferent;
  // Rounding must not move the mean.
  const shift = isLarge ? (mean(values) ?? 0) - (mean(values.map(rounded)) ?? 0) : 0;
  const counts = new Map<number, number>();
  for (const value of values) {
    const kept = isLarge ? rounded(value) + shift : value;
    counts.set(kept, (counts.get(kept) ?? 0) + 1);
  }
  for (const end of [lowest, highest]) counts.set(end, (counts.get(end) ?? 0) + 0.5);
  return counts;
}
