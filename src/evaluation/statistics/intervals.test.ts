import { expect, test } from "vitest";
import { mean, standardDeviation } from "./descriptive.ts";
import { clusterInterval, tInterval, wilson } from "./intervals.ts";
import { scoreStats } from "./score-stats.ts";

const overAttempts = { unit: "attempt", binary: false, n_missing: 0 } as const;
const binary = { ...overAttempts, binary: true };

test("mean and standard deviation match the textbook, null where undefined", () => {
  expect(mean([2, 4, 4, 4, 5, 5, 7, 9])).toBe(5);
  // Python 3.11: statistics.stdev.
  expect(standardDeviation([2, 4, 4, 4, 5, 5, 7, 9])).toBeCloseTo(2.138089935299395, 12);
  expect([mean([]), standardDeviation([]), standardDeviation([1])]).toEqual([null, null, null]);
  expect(standardDeviation([0.1, 0.1, 0.1])).toBe(0);
});

test("Wilson's interval of 9 in 10 is 0.5958 to 0.9821", () => {
  // Wilson's (1927) formula in Python 3.11 with statistics.NormalDist().inv_cdf(0.975).
  const interval = wilson(9, 10);
  expect(interval?.lower).toBeCloseTo(0.5958499732047616, 12);
  expect(interval?.upper).toBeCloseTo(0.982123786904927, 12);
  expect(wilson(0, 3)?.upper).toBeCloseTo(0.5614970317550454, 12);
});

test("the interval of 30 of 30 allows failures; no trials give none", () => {
  expect(wilson(30, 30)?.lower).toBeCloseTo(0.8864866068260314, 12);
  expect(wilson(30, 30)?.upper).toBe(1);
  expect(wilson(0, 5)?.lower).toBe(0);
  expect(wilson(0, 0)).toBeNull();
});

test("Student's interval of the mean", () => {
  const interval = tInterval([1, 2, 3, 4, 5]);
  expect(interval?.lower).toBeCloseTo(3 - 2.776445105 * Math.sqrt(0.5), 8);
  expect([tInterval([]), tInterval([1]), tInterval([1, 1])]).toEqual([null, null, null]);
});

test("clusters of one are independent values; equal values within a cluster count once", () => {
  const alone = clusterInterval([1, 2, 3, 4, 5].map((sum) => ({ sum, count: 1 })));
  const repeated = clusterInterval([1, 2, 3, 4, 5].map((value) => ({ sum: 7 * value, count: 7 })));
  expect(alone.interval).toEqual(tInterval([1, 2, 3, 4, 5]));
  expect(repeated.interval?.lower).toBeCloseTo(alone.interval?.lower ?? 0, 12);
});

test("has no interval below two clusters or without variation", () => {
  expect(clusterInterval([])).toEqual({ mean: null, stderr: null, clusters: 0, interval: null });
  expect(clusterInterval([{ sum: 3, count: 4 }])).toEqual({ mean: 0.75, stderr: null, clusters: 1, interval: null });
  expect(
    clusterInterval([
      { sum: 1, count: 1 },
      { sum: 2, count: 2 },
    ]).interval,
  ).toBeNull();
  expect(clusterInterval([{ sum: 0, count: 0 }]).mean).toBeNull();
});

test("a score over attempts has Student's interval, clipped to 0..1", () => {
  const stats = scoreStats([0.9, 1, 0.8], { ...overAttempts, n_missing: 2 });
  expect(stats).toMatchObject({ n: 3, n_missing: 2, min: 0.8, ci_upper: 1, method: "t over 3 attempts" });
  expect(stats.mean).toBeCloseTo(0.9, 12);
  expect(stats.sd).toBeCloseTo(0.1, 12);
  expect(stats.stderr).toBeCloseTo(0.1 / Math.sqrt(3), 12);
});

test("constant values get Wilson's interval for 0/1 scores, else null with the reason", () => {
  expect(scoreStats([1, 1, 1, 1, 1], binary)).toMatchObject({ ci_upper: 1, method: "wilson over 5 attempts" });
  expect(scoreStats([1, 1, 1, 1, 1], binary).ci_lower).toBeCloseTo(0.5655, 4);
  expect(scoreStats([1, 0, 1], binary).method).toBe("wilson over 3 attempts");
  expect(scoreStats([0.5, 0.5], binary).method).toBe("wilson over 2 attempts");
  expect(scoreStats([0.7, 0.7], overAttempts)).toMatchObject({
    sd: 0,
    ci_lower: null,
    ci_upper: null,
    method: "none: all 2 attempts have the same value",
  });
});

test("a 0/1 score over several replies has Wilson's interval of its effective size", () => {
  // p 0.975, variance of the mean 0.000625: 39 replies' worth, t(9) 2.26216. By Wilson's formula in Python (scipy 1.17.1).
  const shares = [1, 1, 1, 1, 1, 1, 1, 1, 1, 0.75];
  const stats = scoreStats(shares, { unit: "scenario", binary: true, n_missing: 0 });
  expect(stats.method).toBe("wilson with t over 10 scenarios");
  expect([stats.ci_lower, stats.ci_upper]).toEqual([expect.closeTo(0.8433322, 6), expect.closeTo(0.9964734, 6)]);
  // Capped at the number of replies.
  const few = scoreStats([0.5, 0.5, 0.75], { unit: "scenario", binary: true, replies: 12, n_missing: 0 });
  expect([few.ci_lower, few.ci_upper]).toEqual([expect.closeTo(0.1454442, 6), expect.closeTo(0.920102, 6)]);
  expect(scoreStats([0.25, 0.75], binary).ci_lower).toBeGreaterThan(0);
});

test("one value or none has no interval, with the reason", () => {
  expect(scoreStats([0.7], { ...overAttempts, unit: "scenario" })).toEqual({
    n: 1,
    n_missing: 0,
    mean: 0.7,
    min: 0.7,
    sd: null,
    stderr: null,
    ci_lower: null,
    ci_upper: null,
    method: "none: one scenario only",
  });
  expect(scoreStats([], binary)).toMatchObject({ n: 0, mean: null, min: null, method: "none: no values" });
});
