import { expect, test } from "vitest";
import { innerSpread, median, percentile, spread } from "./statistics.ts";

test("the median of an even number of values lies between the middle two", () => {
  expect(median([4, 1, 3, 2])).toBe(2.5);
});

test("a percentile lies on the line between its neighbours", () => {
  expect(percentile([0, 10, 20], 0.75)).toBe(15);
});

test("the spread is a share of the median, and nothing where there is nothing to compare", () => {
  expect(spread([9, 10, 11])).toBeCloseTo(0.2);
  expect(spread([5])).toBe(0);
});

test("one outlier widens the spread, not the inner spread", () => {
  const values = [...Array.from({ length: 20 }, () => 10), 50];
  expect(spread(values)).toBe(4);
  expect(innerSpread(values)).toBe(0);
});
