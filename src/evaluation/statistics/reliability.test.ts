import fc from "fast-check";
import { expect, test } from "vitest";
import { SpreadTable, type Spread } from "./accumulators.ts";
import { standardDeviation } from "./descriptive.ts";
import { flakiness, noiseFloor } from "./reliability.ts";

function spreadOf(values: readonly number[]): Spread {
  const table = new SpreadTable();
  for (const value of values) table.add(3, value);
  return table.of(3);
}

test("names the few scenarios that make most of the variance", () => {
  const steady = Array.from({ length: 17 }, (_, index) => ({ scenario_id: `s${index}`, ...spreadOf([0.5, 0.51]) }));
  const flaky = [1, 2, 3].map((index) => ({ scenario_id: `f${index}`, ...spreadOf([0, 1]) }));
  const result = flakiness([...steady, ...flaky]);
  expect(result?.sentence).toBe("2 of 20 scenarios make 67 % of the variance between attempts.");
  expect(result?.scenarios.slice(0, 3).map(({ scenario_id }) => scenario_id)).toEqual(["f1", "f2", "f3"]);
  // Nearly all is not all.
  expect(flakiness([...steady.slice(0, 1), ...flaky.slice(0, 1)])?.sentence).toContain("makes 99 %");
  expect(flakiness(flaky.slice(0, 1))?.sentence).toContain("makes 100 %");
  expect(flakiness([{ scenario_id: "a", ...spreadOf([0.5]) }])).toBeNull();
  expect(flakiness([{ scenario_id: "a", ...spreadOf([0.5, 0.5]) }])).toBeNull();
});

test("the running variance equals the variance of all values, and ignores rounding", () => {
  const score = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.array(score, { minLength: 2, maxLength: 50 }), (values) => {
      const { count, variance } = spreadOf(values);
      expect(count).toBe(values.length);
      expect(variance).toBeCloseTo((standardDeviation(values) ?? 0) ** 2, 12);
    }),
  );
  expect(spreadOf([0.1, 0.1, 0.1]).variance).toBe(0);
  expect(spreadOf([0.1 + 0.2, 0.3, 0.3]).variance).toBe(0);
  expect(spreadOf([])).toEqual({ count: 0, variance: null });
});

test("computes the noise floor of a worked example", () => {
  // scipy 1.17.1: t.ppf(0.975, 3) * std([0.70, 0.72, 0.71, 0.73], ddof=1) * sqrt(2).
  expect(noiseFloor([0.7, 0.72, 0.71, 0.73]).floor).toBeCloseTo(0.058102, 5);
  expect(noiseFloor([0.7, 0.8])).toMatchObject({ floor: null, method: "none: fewer than three runs" });
  expect(noiseFloor([])).toMatchObject({ mean: null, sd: null, floor: null });
});
