import { expect, test } from "vitest";
import { fleissKappa, krippendorffAlpha, pairKappa, type Rating } from "./agreement.ts";

/** Rows are raters, columns units; null is a missing rating. */
const toRatings = (rows: readonly (readonly (number | null)[])[]): Rating[] =>
  rows.flatMap((row, rater) =>
    row.flatMap((value, unit) =>
      value === null ? [] : [{ unit: `u${unit}`, rater: `r${rater}`, category: String(value), value }],
    ),
  );

const _ = null;
/** Krippendorff's example with missing values. */
const example = toRatings([
  [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
  [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
  [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
  [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]);

test("alpha of ratings with missing values is that of krippendorff 0.9.0", () => {
  const alpha = (metric: "nominal" | "ordinal" | "interval") => krippendorffAlpha(example, { metric }).value;
  expect(alpha("nominal")).toBeCloseTo(0.743421052631579, 12);
  expect(alpha("ordinal")).toBeCloseTo(0.8153875037548814, 12);
  expect(alpha("interval")).toBeCloseTo(0.8491071428571428, 12);
  expect(krippendorffAlpha(example).units).toBe(11);
});

test("Fleiss' kappa of Fleiss' example is that of statsmodels 0.15.0", () => {
  const table = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
  ];
  const ratings = table.flatMap((counts, unit) =>
    counts
      .flatMap((count, value) => Array.from({ length: count }, () => value))
      .map((value, rater) => ({ unit: `u${unit}`, rater: `r${rater}`, category: String(value), value })),
  );
  expect(fleissKappa(ratings).value).toBeCloseTo(0.20993070442195522, 12);
});

test("Cohen's kappa counts the units that both rated, in the order of the raters", () => {
  const rows = toRatings([
    [1, 1, 1, 1, 0, 0, 0, 0, 1, _],
    [1, 1, 1, 0, 0, 0, 0, 1, _, 1],
  ]);
  const kappa = pairKappa(rows, ["r0", "r1"]);
  expect(kappa).toMatchObject({ value: 0.5, units: 8 });
  expect(pairKappa(rows, ["r1", "r0"]).value).toBe(0.5);
});

test("Cohen's kappa does not depend on the order in which the ratings of a unit are listed", () => {
  const rows = toRatings([
    [1, 1, 1, 2, 2, 3, 1, 1],
    [2, 2, 1, 2, 2, 3, 3, 1],
  ]);
  const ofUnit = (unit: number) => rows.filter((rating) => rating.unit === `u${unit}`);
  const mixed = Array.from({ length: 8 }, (_, unit) => (unit % 2 ? ofUnit(unit).toReversed() : ofUnit(unit))).flat();
  const kappa = (5 / 8 - 20 / 64) / (1 - 20 / 64);
  expect(pairKappa(rows, ["r0", "r1"]).value).toBeCloseTo(kappa, 12);
  expect(pairKappa(mixed, ["r0", "r1"]).value).toBeCloseTo(kappa, 12);
});

test("intervals resample whole clusters: ten copies of each unit in its cluster do not narrow them", () => {
  const twice = [...example, ...example.map((rating) => ({ ...rating, unit: `${rating.unit} again` }))];
  const clustered = (copies: number): Rating[] =>
    twice.flatMap((rating) =>
      Array.from({ length: copies }, (__, copy) => ({
        ...rating,
        unit: `${rating.unit} ${copy}`,
        cluster: rating.unit,
      })),
    );
  const [one, ten] = [krippendorffAlpha(clustered(1)).interval, krippendorffAlpha(clustered(10)).interval];
  expect(one!.upper - one!.lower).toBeGreaterThan(0.2);
  expect(ten!.upper - ten!.lower).toBeGreaterThan(0.9 * (one!.upper - one!.lower));
  expect(krippendorffAlpha(twice, { resamples: 0 })).toMatchObject({ interval: null, method: "none: not asked for" });
});

test("there is an interval from 15 clusters on, and below them the reason why there is none", () => {
  const pairs = (units: number) =>
    toRatings([0, 1].map((rater) => Array.from({ length: units }, (__, unit) => (unit + (unit % 5 ? 0 : rater)) % 2)));
  const few = krippendorffAlpha(pairs(14));
  expect(few.value).not.toBeNull();
  expect(few).toMatchObject({ interval: null, method: "none: fewer than 15 scenarios rated twice", units: 14 });
  const enough = krippendorffAlpha(pairs(15));
  expect(enough.interval!.lower).toBeLessThan(enough.value!);
  expect(enough.interval!.upper).toBeGreaterThan(enough.value!);
  // Many replies of few scenarios are few scenarios.
  const inThree = pairs(30).map((rating) => ({ ...rating, cluster: String(Number(rating.unit.slice(1)) % 3) }));
  expect(krippendorffAlpha(inThree)).toMatchObject({ interval: null, units: 30 });
  expect(fleissKappa(pairs(14)).interval).toBeNull();
  expect(pairKappa(pairs(14), ["r0", "r1"]).interval).toBeNull();
});

test("there is no coefficient when nothing was rated twice, or all ratings are equal", () => {
  expect(krippendorffAlpha(toRatings([[1, 2, 3]]))).toEqual({
    value: null,
    interval: null,
    method: "none: nothing was rated twice",
    units: 0,
  });
  const equal = toRatings([
    [1, 1, 1],
    [1, 1, 1],
  ]);
  expect(krippendorffAlpha(equal)).toMatchObject({ value: null, units: 3 });
  expect(fleissKappa(equal).value).toBeNull();
});
