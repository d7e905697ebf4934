import { expect, test } from "vitest";
import { DurationTally } from "./accumulators.ts";

function durationsOf(values: readonly number[]) {
  const tally = new DurationTally();
  for (const value of values) tally.add(value);
  return tally.finish();
}

test("computes median and p95", () => {
  // numpy 2.4.6: quantile(…, method="inverted_cdf")
  expect(durationsOf([300, 100, 200])).toEqual({ n: 3, mean: 200, p50: 200, p95: 300, max: 300 });
  expect(durationsOf([400, 100, 300, 200])).toMatchObject({ p50: 200, p95: 400 });
  const hundred = Array.from({ length: 20 }, (_, index) => 100 * (index + 1));
  expect(durationsOf(hundred)).toMatchObject({ n: 20, p50: 1000, p95: 1900, max: 2000 });
  expect(durationsOf([412.5])).toEqual({ n: 1, mean: 412.5, p50: 412.5, p95: 412.5, max: 412.5 });
});

test("quantiles of many values are within 1 %, in any order", () => {
  const values = Array.from({ length: 20_000 }, (_, index) => 50 + ((index * 7919) % 20_000) / 7);
  const sorted = values.toSorted((left, right) => left - right);
  const { p50, p95 } = durationsOf(values)!;
  expect(Math.abs(p50 / sorted[9_999]! - 1)).toBeLessThan(0.01);
  expect(Math.abs(p95 / sorted[18_999]! - 1)).toBeLessThan(0.01);
  expect(durationsOf(sorted)!.p95).toBeCloseTo(p95, 6);
});

test("counts durations of 0, and returns null without values", () => {
  expect(durationsOf([0, 0, 5])).toEqual({ n: 3, mean: 5 / 3, p50: 0, p95: 5, max: 5 });
  expect(durationsOf([])).toBeNull();
});
