import { normalQuantile, tQuantile } from "./distributions.ts";
import { defaultLevel, type Interval } from "./intervals.ts";

/** expected label → generated label → how often. */
export type LabelCounts = ReadonlyMap<string, ReadonlyMap<string, number>>;

interface MarginTotals {
  readonly n: number;
  readonly expected: ReadonlyMap<string, number>;
  readonly generated: ReadonlyMap<string, number>;
}

export function marginsOf(counts: LabelCounts): MarginTotals {
  const expected = new Map<string, number>();
  const generated = new Map<string, number>();
  let n = 0;
  for (const [row, cells] of counts) {
    for (const [column, count] of cells) {
      n += count;
      expected.set(row, (expected.get(row) ?? 0) + count);
      generated.set(column, (generated.get(column) ?? 0) + count);
    }
  }
  return { n, expected, generated };
}

/** Cohen's kappa: agreement beyond chance. Null without counts, and when chance alone would always agree. */
export function cohensKappa(counts: LabelCounts): number | null {
  return toKappa(observedAgreement(counts, marginsOf(counts)));
}

/** Whole numbers, so that full agreement is exactly 1. */
interface ObservedAgreement {
  readonly n: number;
  readonly agreed: number;
  /** Times n². */
  readonly byChance: number;
}

function observedAgreement(counts: LabelCounts, { n, expected, generated }: MarginTotals): ObservedAgreement {
  let agreed = 0;
  for (const label of expected.keys()) agreed += counts.get(label)?.get(label) ?? 0;
  return { n, agreed, byChance: productOf(expected, generated) };
}

/** Sum over all labels of the product of both counts. */
function productOf(left: ReadonlyMap<string, number>, right: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const [label, count] of left) sum += count * (right.get(label) ?? 0);
  return sum;
}

function toKappa({ n, agreed, byChance }: ObservedAgreement): number | null {
  return n === 0 || byChance === n * n ? null : (n * agreed - byChance) / (n * n - byChance);
}

/**
 * Interval of kappa for items that are independent of each other: the large-sample standard error of Fleiss, Cohen and Everitt
 * (1969). Null when kappa is undefined or the items do not vary (full agreement).
 */
export function kappaInterval(counts: LabelCounts, level = defaultLevel): Interval | null {
  const kappa = cohensKappa(counts);
  if (kappa === null) return null;
  const { n, expected, generated } = marginsOf(counts);
  const row = (label: string) => (expected.get(label) ?? 0) / n;
  const column = (label: string) => (generated.get(label) ?? 0) / n;
  let byChance = 0;
  for (const label of expected.keys()) byChance += row(label) * column(label);
  let onDiagonal = 0;
  let off = 0;
  for (const [label, cells] of counts) {
    for (const [other, count] of cells) {
      const share = count / n;
      if (label === other) onDiagonal += share * (1 - (row(label) + column(label)) * (1 - kappa)) ** 2;
      else off += share * (column(label) + row(other)) ** 2;
    }
  }
  const spread = onDiagonal + (1 - kappa) ** 2 * off - (kappa - byChance * (1 - kappa)) ** 2;
  // A smaller value is rounding: its terms are of the order of 1.
  if (!(spread > 1e-12)) return null;
  const reach = normalQuantile((1 + level) / 2) * Math.sqrt(spread / ((1 - byChance) ** 2 * n));
  return { lower: Math.max(-1, kappa - reach), upper: Math.min(1, kappa + reach) };
}

/**
 * Interval of kappa for items that come in groups (the turns of a scenario), by the jackknife over groups with Student's t. Null
 * below three groups, without variation, and when kappa is undefined without one of the groups: the interval of the others
 * would be too narrow.
 */
export function clusteredKappaInterval(groups: readonly LabelCounts[], level = defaultLevel): Interval | null {
  const kappa = cohensKappa(merge(groups));
  if (kappa === null || groups.length < 3) return null;
  const without = leaveOneOutKappas(groups).flatMap((value) => value ?? []);
  if (without.length < groups.length) return null;
  const center = without.reduce((sum, value) => sum + value, 0) / without.length;
  const squares = without.reduce((sum, value) => sum + (value - center) ** 2, 0);
  const stderr = Math.sqrt(((without.length - 1) / without.length) * squares);
  if (!(stderr > 1e-12)) return null;
  const reach = tQuantile((1 + level) / 2, without.length - 1) * stderr;
  return { lower: Math.max(-1, kappa - reach), upper: Math.min(1, kappa + reach) };
}

/**
 * Kappa without each of the groups in turn. Each group is subtracted from the total: recounting the others for every group
 * would take minutes with thousands of groups and hundreds of labels.
 */
export function leaveOneOutKappas(groups: readonly LabelCounts[]): (number | null)[] {
  const all = merge(groups);
  const margins = marginsOf(all);
  const whole = observedAgreement(all, margins);
  return groups.map((group) => {
    const own = marginsOf(group);
    const { n, agreed, byChance } = observedAgreement(group, own);
    const shared = productOf(own.expected, margins.generated) + productOf(own.generated, margins.expected);
    return toKappa({ n: whole.n - n, agreed: whole.agreed - agreed, byChance: whole.byChance - shared + byChance });
  });
}

function merge(groups: readonly LabelCounts[]): Map<string, Map<string, number>> {
  const all = new Map<string, Map<string, number>>();
  for (const group of groups) addCounts(all, group);
  return all;
}

function addCounts(target: Map<string, Map<string, number>>, counts: LabelCounts): void {
  for (const [row, cells] of counts) {
    const to = target.get(row) ?? new Map<string, number>();
    target.set(row, to);
    for (const [column, count] of cells) to.set(column, (to.get(column) ?? 0) + count);
  }
}
