import { createRandom } from "../../base/random.ts";
import { cohensKappa } from "./kappa.ts";
import { defaultLevel, type Interval } from "./intervals.ts";

/** One rater's rating of one unit. */
export interface Rating {
  readonly unit: string;
  readonly rater: string;
  /** Names the category. */
  readonly category: string;
  /** The position of the category on a scale. */
  readonly value: number;
  /** Units of one cluster (a scenario) are not independent. Default: the unit. */
  readonly cluster?: string | undefined;
}

/** How far apart two ratings are: equal or not, by rank, or by the square of the difference. */
export type AlphaMetric = "nominal" | "ordinal" | "interval";

/** A coefficient of agreement with its bootstrap interval. */
export interface Coefficient {
  /** Null when it is undefined: nothing was rated twice, or all ratings are equal. */
  readonly value: number | null;
  /** Percentiles over resampled clusters; null below {@link fewestClusters}, or when the clusters do not vary. */
  readonly interval: Interval | null;
  /** How the interval was made, or why there is none. */
  readonly method: string;
  /** Units that count: those with two ratings or more. */
  readonly units: number;
}

/** With 5 units, percentiles of resampled clusters contain the truth in 50 to 83 of 100 cases, and with 10 in 70 to 98. */
const fewestClusters = 15;

/**
 * Krippendorff's alpha: agreement beyond chance between any number of raters, who need not rate every unit. Units with one
 * rating do not count.
 */
export function krippendorffAlpha(
  ratings: readonly Rating[],
  { metric = "nominal", ...options }: BootstrapOptions & { readonly metric?: AlphaMetric } = {},
): Coefficient {
  const scale = scaleOf(ratings);
  const width = scale.length;
  const place = new Map(scale.map(({ category }, index) => [category, index]));
  const units = pairableUnits(ratings);
  const tables = tablesByCluster(units, width * width, ({ table, categories }) => {
    for (const [i, left] of categories.entries()) {
      for (const [j, right] of categories.entries()) {
        if (i === j) continue;
        const cell = (place.get(left) ?? 0) * width + (place.get(right) ?? 0);
        table[cell] = (table[cell] ?? 0) + 1 / (categories.length - 1);
      }
    }
  });
  return coefficient(tables, (table) => alphaOf(table, { scale, metric }), { units: units.length, ...options });
}

/** Fleiss' kappa. Raters may differ between units, and so may their number: the agreement of each unit counts once. */
export function fleissKappa(ratings: readonly Rating[], options: BootstrapOptions = {}): Coefficient {
  const scale = scaleOf(ratings);
  const place = new Map(scale.map(({ category }, index) => [category, index]));
  const units = pairableUnits(ratings);
  const [agreedAt, unitsAt] = [scale.length, scale.length + 1];
  const tables = tablesByCluster(units, scale.length + 2, ({ table, categories }) => {
    const counts = new Map<string, number>();
    for (const category of categories) counts.set(category, (counts.get(category) ?? 0) + 1);
    let pairs = 0;
    for (const [category, count] of counts) {
      pairs += count * (count - 1);
      table[place.get(category) ?? 0]! += count;
    }
    table[agreedAt]! += pairs / (categories.length * (categories.length - 1));
    table[unitsAt]! += 1;
  });
  return coefficient(
    tables,
    (table) => {
      const counts = table.subarray(0, scale.length);
      const total = counts.reduce((sum, count) => sum + count, 0);
      const byChance = counts.reduce((sum, count) => sum + (count / total) ** 2, 0);
      const agreed = table[agreedAt]! / table[unitsAt]!;
      return total === 0 || 1 - byChance < 1e-12 ? null : (agreed - byChance) / (1 - byChance);
    },
    { units: units.length, ...options },
  );
}

/** Cohen's kappa of two raters over the units that both rated. */
export function pairKappa(
  ratings: readonly Rating[],
  raters: readonly [string, string],
  options: BootstrapOptions = {},
): Coefficient {
  const scale = scaleOf(ratings).map(({ category }) => category);
  const width = scale.length;
  const place = new Map(scale.map((category, index) => [category, index]));
  const units = pairableUnits(
    ratings
      .filter(({ rater }) => raters.includes(rater))
      .toSorted((left, right) => raters.indexOf(left.rater) - raters.indexOf(right.rater)),
  );
  const tables = tablesByCluster(units, width * width, ({ table, categories: [first = "", second = ""] }) => {
    table[(place.get(first) ?? 0) * width + (place.get(second) ?? 0)]! += 1;
  });
  return coefficient(
    tables,
    (table) => {
      const counts = scale.map(
        (row, i) => [row, new Map(scale.map((column, j) => [column, table[i * width + j] ?? 0]))] as const,
      );
      return cohensKappa(new Map(counts));
    },
    { units: units.length, ...options },
  );
}

export interface BootstrapOptions {
  /** Resampled sets of clusters. Default 1000; 0 for no interval. */
  readonly resamples?: number;
  readonly level?: number;
}

interface RatedUnit {
  readonly cluster: string;
  readonly categories: string[];
}

/** Units with two ratings or more. */
function pairableUnits(ratings: readonly Rating[]): RatedUnit[] {
  const units = new Map<string, RatedUnit>();
  for (const { unit, category, cluster = unit } of ratings) {
    const entry = units.get(unit) ?? { cluster, categories: [] };
    units.set(unit, entry);
    entry.categories.push(category);
  }
  return [...units.values()].filter(({ categories }) => categories.length > 1);
}

type AgreementScale = readonly { readonly category: string; readonly value: number }[];

/** The categories that occur, in the order of their values. */
function scaleOf(ratings: readonly Rating[]): AgreementScale {
  const values = new Map(ratings.map(({ category, value }) => [category, value]));
  return [...values]
    .map(([category, value]) => ({ category, value }))
    .toSorted((left, right) => left.value - right.value);
}

/** The coefficients are functions of sums over units, so one table per cluster is enough for the bootstrap. */
function tablesByCluster(
  units: readonly RatedUnit[],
  size: number,
  add: (into: { readonly table: Float64Array; readonly categories: readonly string[] }) => void,
): Float64Array[] {
  const tables = new Map<string, Float64Array>();
  for (const { cluster, categories } of units) {
    const table = tables.get(cluster) ?? new Float64Array(size);
    tables.set(cluster, table);
    add({ table, categories });
  }
  return [...tables.values()];
}

function coefficient(
  tables: readonly Float64Array[],
  statistic: (table: Float64Array) => number | null,
  { units, resamples = 1_000, level = defaultLevel }: BootstrapOptions & { readonly units: number },
): Coefficient {
  const none = (value: number | null, why: string): Coefficient => ({
    value,
    interval: null,
    method: `none: ${why}`,
    units,
  });
  if (tables.length === 0) return none(null, "nothing was rated twice");
  const size = tables[0]!.length;
  const sum = new Float64Array(size);
  const addUp = (chosen: (index: number) => Float64Array): Float64Array => {
    sum.fill(0);
    for (let index = 0; index < tables.length; index++) {
      const table = chosen(index);
      for (let cell = 0; cell < size; cell++) sum[cell]! += table[cell]!;
    }
    return sum;
  };
  const value = statistic(addUp((index) => tables[index]!));
  if (value === null) return none(value, "all ratings are equal");
  if (tables.length < fewestClusters) return none(value, `fewer than ${fewestClusters} scenarios rated twice`);
  if (resamples === 0) return none(value, "not asked for");
  // Seeded, so that the same ratings always have the same interval.
  const random = createRandom(`bootstrap ${tables.length}`);
  const resampled: number[] = [];
  for (let round = 0; round < resamples; round++) {
    const drawn = statistic(addUp(() => tables[Math.floor(random() * tables.length)]!));
    if (drawn !== null) resampled.push(drawn);
  }
  const interval = percentiles(resampled, level);
  if (!interval) return none(value, "the scenarios do not vary");
  return { value, interval, method: `percentiles over ${tables.length} scenarios drawn with replacement`, units };
}

function percentiles(values: number[], level: number): Interval | null {
  const ascending = values.toSorted((left, right) => left - right);
  const at = (share: number): number => {
    const place = share * (ascending.length - 1);
    const [below, above] = [ascending[Math.floor(place)]!, ascending[Math.ceil(place)]!];
    return below + (place - Math.floor(place)) * (above - below);
  };
  if (ascending.length < 100 || ascending.at(-1)! - ascending[0]! < 1e-12) return null;
  return { lower: at((1 - level) / 2), upper: at((1 + level) / 2) };
}

/** Alpha from a table of coincidences: 1 − observed / expected disagreement. */
function alphaOf(
  table: Float64Array,
  { scale, metric }: { scale: AgreementScale; metric: AlphaMetric },
): number | null {
  const width = scale.length;
  const counts = scale.map((_, row) =>
    table.subarray(row * width, (row + 1) * width).reduce((sum, cell) => sum + cell, 0),
  );
  const total = counts.reduce((sum, count) => sum + count, 0);
  const distance = distances({ scale, counts, metric });
  let observed = 0;
  let expected = 0;
  for (let row = 0; row < width; row++) {
    for (let column = 0; column < width; column++) {
      const apart = distance(row, column);
      observed += table[row * width + column]! * apart;
      expected += counts[row]! * counts[column]! * apart;
    }
  }
  return expected < 1e-12 ? null : 1 - ((total - 1) * observed) / expected;
}

function distances({
  scale,
  counts,
  metric,
}: {
  scale: AgreementScale;
  counts: readonly number[];
  metric: AlphaMetric;
}): (row: number, column: number) => number {
  if (metric === "nominal") return (row, column) => (row === column ? 0 : 1);
  if (metric === "interval") return (row, column) => (scale[row]!.value - scale[column]!.value) ** 2;
  // By rank: the ratings between two categories, with half of those in them.
  let before = 0;
  const ranks = counts.map((count) => {
    const rank = before + count / 2;
    before += count;
    return rank;
  });
  return (row, column) => (ranks[row]! - ranks[column]!) ** 2;
}
