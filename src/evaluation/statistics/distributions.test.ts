import { expect, test } from "vitest";
import { incompleteBeta, normalCdf, normalQuantile, tQuantile, twoSidedP } from "./distributions.ts";

// Tables of Student's t; integrating its density numerically in Python 3.11 gives each p back to ten digits.
test.each([
  [0.975, 1, 12.706204736],
  [0.975, 4, 2.776445105],
  [0.975, 9, 2.262157163],
  [0.975, 29, 2.045229642],
  [0.995, 2, 9.924843201],
  [0.8, 9, 0.883403859],
  [0.975, 100_000, 1.959987708],
])("the t quantile of %d with %d degrees of freedom matches tables", (p, degrees, expected) => {
  expect(tQuantile(p, degrees)).toBeCloseTo(expected, 8);
  expect(tQuantile(1 - p, degrees)).toBeCloseTo(-expected, 8);
});

test("t quantile and p value are inverse", () => {
  for (const degrees of [1, 2, 3, 10, 50, 1000]) {
    for (const p of [0.5001, 0.6, 0.9, 0.999, 0.999999]) {
      expect(twoSidedP(tQuantile(p, degrees), degrees) / 2).toBeCloseTo(1 - p, 10);
    }
  }
});

test("the normal quantile matches tables and inverts the distribution", () => {
  // Python 3.11: statistics.NormalDist().inv_cdf.
  expect(normalQuantile(0.975)).toBeCloseTo(1.959963984540054, 12);
  expect(normalQuantile(0.8)).toBeCloseTo(0.8416212335729143, 12);
  expect(normalQuantile(0.5)).toBe(0);
  for (const p of [1e-9, 0.001, 0.3, 0.7, 0.999999]) expect(normalCdf(normalQuantile(p))).toBeCloseTo(p, 12);
});

test("the incomplete beta function has its known values", () => {
  expect(incompleteBeta(0.5, 2, 2)).toBeCloseTo(0.5, 14);
  expect(incompleteBeta(0.3, 1, 1)).toBeCloseTo(0.3, 14);
  expect(incompleteBeta(0.2, 2, 3)).toBeCloseTo(0.1808, 12);
  expect([incompleteBeta(0, 2, 3), incompleteBeta(1, 2, 3)]).toEqual([0, 1]);
});

test("returns NaN or infinity outside the domain, never throws", () => {
  expect(tQuantile(1, 5)).toBeNaN();
  expect(tQuantile(0.9, 0)).toBeNaN();
  expect(normalQuantile(1)).toBe(Number.POSITIVE_INFINITY);
  expect(normalQuantile(2)).toBeNaN();
});
