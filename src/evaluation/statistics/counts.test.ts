import { expect, test } from "vitest";
import { createLabelTally } from "../summary/label-metrics.ts";
import { wilson } from "./intervals.ts";
import { detectableEffect, scenariosNeeded } from "./power.ts";
import { reliability } from "./reliability.ts";
import { adjustTests, holm, mcnemar } from "./significance.ts";

test("pass^k of 4 in 5 is 0.8, 0.6, 0.4, 0.2, 0 and pass@k 0.8, then 1", () => {
  const result = reliability(5, 4);
  [0.8, 0.6, 0.4, 0.2, 0].forEach((expected, index) => expect(result?.pass_hat_k[index]).toBeCloseTo(expected, 12));
  [0.8, 1, 1, 1, 1].forEach((expected, index) => expect(result?.pass_at_k[index]).toBeCloseTo(expected, 12));
  expect(result).toMatchObject({ threshold: 0.8, attempts: 5, passed: 4 });
});

test("pass@k and pass^k of 3 in 10 are the shares of all draws of k attempts", () => {
  // Python 3.11: 1 - comb(7, k) / comb(10, k) and comb(3, k) / comb(10, k) as fractions.
  const result = reliability(10, 3);
  [0.3, 0.5333333333333333, 0.7083333333333334, 0.8333333333333334, 0.9166666666666666].forEach((expected, index) =>
    expect(result?.pass_at_k[index]).toBeCloseTo(expected, 12),
  );
  [0.3, 0.06666666666666667, 0.008333333333333333, 0, 0].forEach((expected, index) =>
    expect(result?.pass_hat_k[index]).toBeCloseTo(expected, 12),
  );
});

test("reliability of all, none and nothing", () => {
  expect(reliability(2, 2)).toMatchObject({ pass_at_k: [1, 1], pass_hat_k: [1, 1] });
  expect(reliability(2, 0)).toMatchObject({ pass_at_k: [0, 0], pass_hat_k: [0, 0] });
  expect(reliability(0, 0)).toBeNull();
});

test("McNemar's exact p of 2 against 10 is 0.0386", () => {
  // Python 3.11: 2 * sum(comb(n, k) for k up to the smaller count) / 2**n as fractions.
  expect(mcnemar(2, 10)).toBeCloseTo(0.03857421875, 12);
  expect(mcnemar(0, 3)).toBeCloseTo(0.25, 12);
  expect(mcnemar(14, 1)).toBeCloseTo(0.0009765625, 12);
  expect(mcnemar(10, 2)).toBeCloseTo(0.0386, 4);
  expect(mcnemar(0, 0)).toBe(1);
  expect(mcnemar(5, 5)).toBe(1);
  expect(mcnemar(4000, 6000)).toBeGreaterThanOrEqual(0);
});

test("Holm's correction keeps order and never exceeds 1", () => {
  // By Holm's (1979) own steps: 4 × 0.01, 3 × 0.03, the larger of that and 2 × 0.04, 0.5.
  const adjusted = holm([0.01, 0.04, 0.03, 0.5]);
  [0.04, 0.09, 0.09, 0.5].forEach((expected, index) => expect(adjusted[index]).toBeCloseTo(expected, 12));
  expect(holm([])).toEqual([]);
  expect(holm([0.9, 0.8])).toEqual([1, 1]);
});

test("the interval of an adjusted test is as strict as its p value", () => {
  const levels = (pValues: readonly (number | null)[]) => adjustTests(pValues, 0.05).map(({ level }) => level);
  // Holm's factors 3, 2 and 1.
  [1 - 0.05 / 3, 0.975, 0.95].forEach((level, index) =>
    expect(levels([0.01, 0.02, 0.04])[index]).toBeCloseTo(level, 12),
  );
  // 0.021 × 2 would be significant alone; the smaller p value before it is not, so its factor is 0.06 / 0.021.
  const [first, second] = adjustTests([0.02, 0.021, 0.9], 0.05);
  expect([first?.p_adjusted, second?.p_adjusted]).toEqual([0.06, 0.06]);
  expect(second?.level).toBeCloseTo(1 - (0.05 * 0.021) / 0.06, 12);
  // A p value that the correction cuts off at 1 keeps its factor, and one without a test is not counted.
  expect(adjustTests([0.8, null, 1], 0.05)).toEqual([
    { p_adjusted: 1, level: 0.975 },
    { p_adjusted: null, level: 0.95 },
    { p_adjusted: 1, level: 0.95 },
  ]);
  expect(adjustTests([0], 0.05)).toEqual([{ p_adjusted: 0, level: 0.95 }]);
});

test("the scenarios needed can just show the effect", () => {
  const needed = scenariosNeeded(0.05, 0.1) ?? 0;
  expect(needed).toBe(34);
  expect(detectableEffect(needed, 0.1)).toBeLessThanOrEqual(0.05);
  expect(detectableEffect(needed - 1, 0.1)).toBeGreaterThan(0.05);
  expect(scenariosNeeded(0, 0.1)).toBeNull();
  expect(scenariosNeeded(1e-9, 1)).toBeNull();
  expect(detectableEffect(1, 0.1)).toBeNull();
});

test.each([
  // scipy 1.17.1: the d for which nct.sf(t.ppf(1 - 0.05 / tests / 2, n - 1), n - 1, d * sqrt(n)) is 0.8. statsmodels 0.15.0 agrees.
  [2, 1, 11.5498884359],
  [5, 1, 1.6819972822],
  [5, 7, 2.8738177266],
  [7, 7, 1.9257054226],
  [10, 15, 1.5761172113],
  [20, 1, 0.6604424099],
  [200, 7, 0.2520260114],
])("%i scenarios and %i scores show an effect of %f deviations in four of five cases", (clusters, tests, effect) => {
  expect(detectableEffect(clusters, 1, tests)).toBeCloseTo(effect, 9);
});

test.each([
  // statsmodels 0.15.0 TTestPower().solve_power: 79.61, 464.1, 5.69 and 22,827.3, rounded up.
  [0.05, 0.1234, 7, 80],
  [0.05, 0.3, 8, 465],
  [0.05, 0.02, 8, 6],
  [0.01, 0.4, 15, 22_828],
])("an effect of %f at a spread of %f among %i scores takes %i scenarios", (effect, spread, tests, needed) => {
  expect(scenariosNeeded(effect, spread, tests)).toBe(needed);
});

function tally(...pairs: [expected: string, generated: string][]) {
  const labels = createLabelTally();
  for (const [index, pair] of pairs.entries()) labels.add(...pair, index);
  return labels.finish();
}

test("accuracy, macro-F1, kappa and confusion match the textbook", () => {
  // Cohen's 2×2 example: 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no gives kappa 0.4.
  const repeat = (count: number, pair: [string, string]) => Array.from({ length: count }, () => pair);
  const metrics = tally(
    ...repeat(20, ["yes", "yes"]),
    ...repeat(5, ["yes", "no"]),
    ...repeat(10, ["no", "yes"]),
    ...repeat(15, ["no", "no"]),
  );
  expect(metrics.n).toBe(50);
  expect(metrics.accuracy).toBeCloseTo(0.7, 12);
  expect(metrics.kappa).toBeCloseTo(0.4, 12);
  expect(metrics.macro_f1).toBeCloseTo((40 / 55 + 30 / 45) / 2, 12);
  expect(metrics.confusion).toEqual({ yes: { yes: 20, no: 5 }, no: { yes: 10, no: 15 } });
});

test("spellings of a label are one label, shown as in the expectation", () => {
  expect(tally(["order_status", "Order-Status"], ["greeting", "ORDER STATUS"])).toMatchObject({
    accuracy: 0.5,
    confusion: { order_status: { order_status: 1 }, greeting: { order_status: 1 } },
  });
});

test("kappa is null when chance always agrees; everything is null without pairs", () => {
  expect(tally(["a", "a"], ["a", "a"])).toMatchObject({ accuracy: 1, macro_f1: 1, kappa: null });
  expect(tally()).toEqual({ n: 0, accuracy: null, macro_f1: null, kappa: null, confusion: {} });
});

/** Pairs such as "ab" (expected a, generated b), by their groups. */
function grouped(...groups: string[]) {
  const labels = createLabelTally();
  for (const [group, text] of groups.entries())
    for (const [expected = "", generated = ""] of text.split(" ")) labels.add(expected, generated, group);
  return labels.finish();
}

test("all of thousands of groups count in the interval of kappa", () => {
  const labels = createLabelTally();
  for (let group = 0; group < 6_000; group++) {
    const expected = group % 2 === 0 ? "a" : "b";
    const isRight = group < 2_000 ? group % 50 !== 0 : group % 4 < 2;
    labels.add(expected, isRight ? expected : expected === "a" ? "b" : "a", `s${group}`);
  }
  const { kappa, kappa_ci_lower, kappa_ci_upper, kappa_method } = labels.finish();
  // 3,960 of 6,000 are right, half of them by chance; over 6,000 independent items ± 1.96 · 2 · √(0.66 · 0.34 / 6000).
  expect(kappa).toBeCloseTo(0.32, 10);
  expect(kappa_ci_lower).toBeCloseTo(0.32 - 0.024, 2);
  expect(kappa_ci_upper).toBeCloseTo(0.32 + 0.024, 2);
  expect(kappa_method).toBe("jackknife over 2000 groups");
});

test("the interval of kappa is over groups, or says why it is missing", () => {
  const metrics = grouped("aa bb ab", "aa ba", "bb bb aa", "ab bb", "aa aa ba");
  expect(metrics.kappa_method).toBe("jackknife over 5 groups");
  expect(metrics.kappa_ci_lower).toBeCloseTo(-0.20676380332273547, 10);
  expect(metrics.kappa_ci_upper).toBeCloseTo(0.9686685652274973, 10);
  const none = { kappa_ci_lower: null, kappa_ci_upper: null };
  expect(grouped("aa ab", "bb bb")).toMatchObject({ ...none, kappa_method: "none: fewer than three groups" });
  expect(grouped("aa bb", "aa bb", "aa bb")).toMatchObject({ ...none, kappa: 1, kappa_method: "none: no spread" });
  const one = "none: one label only, chance alone would always agree";
  expect(grouped("aa", "aa", "aa")).toMatchObject({ ...none, kappa: null, kappa_method: one });
});

test("an abstention that was expected is a label like any other", () => {
  const { macro_f1 } = tally(["a", "a"], ["a", "a"], ["unknown", "unknown"], ["unknown", "a"]);
  expect(macro_f1).toBeCloseTo((4 / 5 + 2 / 3) / 2, 12);
});

test("an abstention lowers recall but is no class, unlike a wrong label", () => {
  expect(tally(["a", "a"], ["a", "unknown"]).macro_f1).toBeCloseTo(2 / 3, 12);
  expect(tally(["a", "a"], ["a", "b"]).macro_f1).toBeCloseTo(1 / 3, 12);
});

test("labels named like object members are counted", () => {
  expect(tally(["toString", "constructor"], ["__proto__", "__proto__"]).n).toBe(2);
  expect(Object.keys(tally(["__proto__", "x"]).confusion)).toEqual(["__proto__"]);
});

test("a key with too many labels has an accuracy but no table", () => {
  const pairs = Array.from({ length: 500 }, (_, index): [string, string] => [`${index}`, `${index}`]);
  expect(tally(...pairs)).toEqual({ n: 500, accuracy: 1, macro_f1: null, kappa: null, confusion: {} });
});

test.each([
  ["successes is 5: it must be from 0 to 3", () => wilson(5, 3)],
  ["successes is -1: it must be from 0 to 3", () => wilson(-1, 3)],
  ["successes is NaN: it must be from 0 to 3", () => wilson(Number.NaN, 3)],
  ["successes is 1: it must be from 0 to -3", () => wilson(1, -3)],
  ["passed is 5: it must be from 0 to 2", () => reliability(2, 5)],
  ["passed is -1: it must be a whole number of 0 or more", () => reliability(3, -1)],
  ["attempts is 2.5: it must be a whole number of 0 or more", () => reliability(2.5, 1)],
  ["firstOnly is -1: it must be a whole number of 0 or more", () => mcnemar(-1, 3)],
  ["secondOnly is NaN: it must be a whole number of 0 or more", () => mcnemar(3, Number.NaN)],
])("throws: %s", (message, figures) => {
  expect(figures).toThrow(new RangeError(message));
});
