import { defaultLevel, type Interval } from "./interval.ts";
import { normalQuantile } from "./normal-distribution.ts";
import { tQuantile } from "./t-distribution.ts";

/** expected label → generated label → how often. */
export type LabelCounts = ReadonlyMap<string, ReadonlyMap<string, number>>;

export interface Margins {
  readonly n: number;
  readonly expected: ReadonlyMap<string, number>;
  readonly generated: ReadonlyMap<string, number>;
}

export function marginsOf(counts: LabelCounts): Margins {
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

/** Cohen's kappa: agreement beyond chance. Null when chance alone would always agree, and of nothing. */
export function cohensKappa(counts: LabelCounts): number | null {
  const { n, expected, generated } = marginsOf(counts);
  if (n === 0) return null;
  // In whole numbers, times n²: rounding must not make full agreement a hair less than 1.
  let observed = 0;
  let byChance = 0;
  for (const [label, count] of expected) {
    observed += n * (counts.get(label)?.get(label) ?? 0);
    byChance += count * (generated.get(label) ?? 0);
  }
  return byChance === n * n ? null : (observed - byChance) / (n * n - byChance);
}

/**
 * Interval of kappa for items that are independent of each other: the large-sample standard error of Fleiss, Cohen and Everitt
 * (1969). Null when kappa is undefined or the items leave no spread (full agreement).
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
  // Below this the spread is rounding: its terms are of the size of 1.
  if (!(spread > 1e-12)) return null;
  const reach = normalQuantile((1 + level) / 2) * Math.sqrt(spread / ((1 - byChance) ** 2 * n));
  return { lower: Math.max(-1, kappa - reach), upper: Math.min(1, kappa + reach) };
}

/**
 * Interval of kappa for items that come in groups (the turns of a scenario): the groups are left out one at a time (jackknife),
 * and Student's t has as many degrees of freedom as there are groups less one. Null below three groups, without spread, and where
 * kappa is undefined without one of the groups: what that group is worth cannot be told, and the others alone would be too sure.
 */
export function clusteredKappaInterval(groups: readonly LabelCounts[], level = defaultLevel): Interval | null {
  const kappa = cohensKappa(merge(groups));
  if (kappa === null || groups.length < 3) return null;
  const without = kappasWithout(groups).flatMap((value) => value ?? []);
  if (without.length < groups.length) return null;
  const center = without.reduce((sum, value) => sum + value, 0) / without.length;
  const squares = without.reduce((sum, value) => sum + (value - center) ** 2, 0);
  const stderr = Math.sqrt(((without.length - 1) / without.length) * squares);
  if (!(stderr > 1e-12)) return null;
  const reach = tQuantile((1 + level) / 2, without.length - 1) * stderr;
  return { lower: Math.max(-1, kappa - reach), upper: Math.min(1, kappa + reach) };
}

/** Kappa without each of the groups in turn. */
export function kappasWithout(groups: readonly LabelCounts[]): (number | null)[] {
  const all = merge(groups);
  return groups.map((group) => {
    addCounts(all, group, -1);
    const value = cohensKappa(all);
    addCounts(all, group, 1);
    return value;
  });
}

function merge(groups: readonly LabelCounts[]): Map<string, Map<string, number>> {
  const all = new Map<string, Map<string, number>>();
  for (const group of groups) addCounts(all, group, 1);
  return all;
}

function addCounts(target: Map<string, Map<string, number>>, counts: LabelCounts, times: 1 | -1): void {
  for (const [row, cells] of counts) {
    const to = target.get(row) ?? new Map<string, number>();
    target.set(row, to);
    for (const [column, count] of cells) to.set(column, (to.get(column) ?? 0) + times * count);
  }
}
