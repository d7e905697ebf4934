import { expect, test } from "vitest";
import { clusteredKappaInterval, cohensKappa, kappaInterval, leaveOneOutKappas, type LabelCounts } from "./kappa.ts";
import { createLabelTally } from "../summary/label-metrics.ts";

function table(rows: readonly (readonly number[])[]): LabelCounts {
  return new Map(rows.map((row, index) => [`${index}`, new Map(row.map((count, column) => [`${column}`, count]))]));
}

// statsmodels 0.15.0: stats.inter_rater.cohens_kappa(table), kappa_low and kappa_upp.
test.each([
  [
    [
      [20, 5],
      [10, 15],
    ],
    0.4,
    0.151092290476661,
    0.6489077095233389,
  ],
  [
    [
      [11, 2, 1],
      [3, 9, 0],
      [2, 1, 13],
    ],
    0.6774744027303754,
    0.4916482263212487,
    0.8633005791395021,
  ],
  [
    [
      [88, 10, 2],
      [14, 40, 6],
      [18, 10, 12],
    ],
    0.49152542372881347,
    0.3915637020535469,
    0.59148714540408,
  ],
])("kappa of %j and its interval match statsmodels", (rows, kappa, lower, upper) => {
  const counts = table(rows);
  expect(cohensKappa(counts)).toBeCloseTo(kappa, 12);
  expect(kappaInterval(counts)?.lower).toBeCloseTo(lower, 10);
  expect(kappaInterval(counts)?.upper).toBeCloseTo(upper, 10);
});

test("grouped items get the jackknife interval", () => {
  // scikit-learn 1.9.1 cohen_kappa_score with each group left out in turn, scipy 1.17.1 t(4).
  const pairs = ["aa bb ab", "aa ba", "bb bb aa", "ab bb", "aa aa ba"];
  const groups = pairs.map((text) => {
    const counts = new Map<string, Map<string, number>>();
    for (const [row = "", column = ""] of text.split(" ").map((pair) => pair.split(""))) {
      const cells = counts.get(row) ?? new Map<string, number>();
      counts.set(row, cells.set(column, (cells.get(column) ?? 0) + 1));
    }
    return counts;
  });
  expect(clusteredKappaInterval(groups)?.lower).toBeCloseTo(-0.20676380332273547, 10);
  expect(clusteredKappaInterval(groups)?.upper).toBeCloseTo(0.9686685652274973, 10);
});

test("has no interval when all but one label are in a single group", () => {
  const labels = createLabelTally();
  for (const turns of [1, 2, 3, 4]) for (let turn = 0; turn < turns; turn++) labels.add("a", "a", turns);
  for (const given of ["b", "b", "b", "a"]) labels.add("b", given, "the other");
  // Without "the other" kappa is undefined; the four kappas without one of the rest alone would make it 0.76 to 0.86.
  const { kappa, ...others } = labels.finish();
  expect(kappa).toBeCloseTo(0.8108108108108109, 12);
  expect(others).toMatchObject({
    kappa_ci_lower: null,
    kappa_ci_upper: null,
    kappa_method: "none: all but one label stand in one group alone",
  });
});

test("has neither kappa nor interval without data", () => {
  expect(cohensKappa(new Map())).toBeNull();
  expect(kappaInterval(new Map())).toBeNull();
  expect(cohensKappa(table([[5]]))).toBeNull();
  expect(
    kappaInterval(
      table([
        [5, 0],
        [0, 5],
      ]),
    ),
  ).toBeNull();
});

const disagreeing = [
  table([
    [3, 1],
    [0, 2],
  ]),
  table([
    [2, 0],
    [2, 3],
  ]),
  table([
    [2, 0],
    [0, 3],
  ]),
];

test("two groups are too few for an interval", () => {
  expect(clusteredKappaInterval(disagreeing.slice(0, 2))).toBeNull();
  expect(clusteredKappaInterval(disagreeing)).not.toBeNull();
});

test("intervals stay within full agreement and full disagreement", () => {
  const upside = table([
    [9, 1],
    [0, 3],
  ]);
  const downside = table([
    [1, 4],
    [4, 0],
  ]);
  expect(kappaInterval(upside)?.upper).toBe(1);
  expect(kappaInterval(downside)?.lower).toBe(-1);
  expect(clusteredKappaInterval(disagreeing)?.upper).toBe(1);
  expect(
    clusteredKappaInterval([
      downside,
      downside,
      table([
        [0, 1],
        [4, 2],
      ]),
    ])?.lower,
  ).toBe(-1);
});

test("full agreement is exactly 1, without rounding errors", () => {
  for (const sizes of [
    [6, 7, 7],
    [6, 4, 2, 6, 2],
    [5, 7, 2, 4, 2],
    [49, 1],
  ]) {
    const counts = table(sizes.map((size, row) => sizes.map((_, column) => (row === column ? size : 0))));
    expect(cohensKappa(counts)).toBe(1);
    expect(kappaInterval(counts)).toBeNull();
  }
});

/** Pseudo-random groups of pairs. */
function groupsOf(count: { groups: number; pairs: number; labels: number }): Map<string, Map<string, number>>[] {
  let state = 1;
  const next = () => String((state = (state * 48_271) % 2_147_483_647) % count.labels);
  return Array.from({ length: count.groups }, () => {
    const counts = new Map<string, Map<string, number>>();
    for (let pair = 0; pair < count.pairs; pair++) {
      const [row, column] = [next(), next()];
      const cells = counts.get(row) ?? new Map<string, number>();
      counts.set(row, cells.set(column, (cells.get(column) ?? 0) + 1));
    }
    return counts;
  });
}

test("kappa without a group equals that of all the others", () => {
  const groups = groupsOf({ groups: 12, pairs: 4, labels: 3 });
  const others = (left: number) => {
    const cells = groups.flatMap((group, index) => (index === left ? [] : [...group]));
    const rows = Object.groupBy(cells, ([row]) => row);
    return new Map(
      Object.entries(rows).map(([row, parts = []]) => {
        const sums = new Map<string, number>();
        for (const [, columns] of parts)
          for (const [column, count] of columns) sums.set(column, (sums.get(column) ?? 0) + count);
        return [row, sums] as const;
      }),
    );
  };
  expect(leaveOneOutKappas(groups)).toEqual(groups.map((_, index) => cohensKappa(others(index))));
  expect(leaveOneOutKappas([table([[2]]), table([[1], [1]])])).toEqual([0, null]);
});
