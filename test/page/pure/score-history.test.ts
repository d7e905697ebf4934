import { expect, test } from "vitest";
import { scoresOf, toHistory, valueScale } from "../../../web/runs/score-history.ts";
import { createFakeRuns } from "../support/fake-runs.ts";
import { nightly, nightlyAfter } from "../support/sample-runs.ts";

const fake = createFakeRuns([]);
const runs = [nightlyAfter, nightly].map((results, index) => ({
  ...fake.toRun(results),
  created_at: `2026-11-1${5 - index}T09:00:00.000Z`,
}));

test("a history goes from the oldest run to the newest and leaves out runs without the score", () => {
  const history = toHistory(runs, "overall");
  expect(history.map(({ run }) => run.run_id)).toEqual([nightly.run_id, nightlyAfter.run_id]);
  expect(toHistory([...runs, { ...runs[0]!, summary: null }], "overall")).toHaveLength(2);
  expect(toHistory(runs, "no such score")).toEqual([]);
  expect(scoresOf(runs)[0]).toBe("overall");
});

test("the axis is 0 to 1 for scores and has round steps for other figures", () => {
  const [point] = toHistory(runs, "overall");
  if (!point) throw new Error("no point");
  expect(valueScale([point]).ticks).toEqual([0, 0.25, 0.5, 0.75, 1]);
  expect(valueScale([{ ...point, mean: 340, lower: 300, upper: 380 }]).ticks).toEqual([0, 100, 200, 300, 400]);
  expect(valueScale([{ ...point, mean: -0.3, lower: null, upper: null }]).from).toBeLessThanOrEqual(-0.3);
});
