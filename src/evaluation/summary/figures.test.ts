import fc from "fast-check";
import { expect, test } from "vitest";
import { RunSummary } from "../../contract/schemas/run.ts";
import type { Scores } from "../../contract/schemas/scores/score.ts";
import { MeanTable } from "../statistics/accumulators.ts";
import { averageScores } from "./score-averages.ts";
import { createRunFigures } from "./summarize-run.ts";
import { firstBadTurn } from "./summarize-scenario.ts";
import { scoredTurn as turn } from "./testing/scored-turn.ts";

test("means by row are independent of other rows", () => {
  const scores = fc.dictionary(
    fc.constantFrom("a", "b", "__proto__", "overall"),
    fc.double({ min: 0, max: 1, noNaN: true }),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(40), scores), { maxLength: 60 }), (added) => {
      const table = new MeanTable();
      for (const [row, given] of added) table.add(row, given);
      for (let row = 0; row <= 40; row += 1) {
        const own = added.filter(([to]) => to === row).map(([, given]) => given);
        expect(table.has(row)).toBe(own.length > 0);
        const means = Object.entries(table.means(row)).toSorted();
        expect(means).toEqual(Object.entries(averageScores(own)).toSorted());
      }
    }),
  );
});

test("the first bad turn failed or is below the threshold; unscored turns are not bad", () => {
  const at = (scores: Scores, turn_index: number) => ({ id: `${turn_index}`, turn_index, scores, error: null });
  expect(firstBadTurn([at({ success: 1 }, 0), at({ overall: 0.79 }, 1), at({ overall: 0 }, 2)], 0.8)).toEqual({
    turn_index: 1,
    id: "1",
    overall: 0.79,
  });
  expect(firstBadTurn([at({}, 0), at({ overall: 0.8 }, 1)], 0.8)).toBeNull();
  expect(firstBadTurn([], 0.8)).toBeNull();
});

test("figures are never NaN or infinite, and every summary fits the contract", () => {
  const score = fc.double({ min: 0, max: 1, noNaN: true });
  const scores = fc.dictionary(fc.constantFrom("overall", "success", "token_f1", "x"), score);
  const attempts = fc.array(
    fc.record({
      scenario: fc.constantFrom("a", "b", "c"),
      interactions: fc.array(scores, { maxLength: 3 }),
      reference: fc.array(scores, { maxLength: 3 }),
    }),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(attempts, (list) => {
      const figures = createRunFigures({ gate: { scores: { overall: 0.5 }, scenario_scores: { x: 0.1 } } });
      for (const { scenario, interactions, reference } of list) {
        figures.add({
          scenario,
          interactions: interactions.map((entry, index) => turn(entry, index)),
          reference: reference.map((entry, index) => turn(entry, index)),
        });
      }
      const { summary } = figures.finish();
      // NaN and infinity would come back as null.
      expect(RunSummary.parse(JSON.parse(JSON.stringify(summary)))).toEqual(summary);
    }),
    { numRuns: 200 },
  );
});

test("pass^k is the mean over the scenarios for the largest k that all have", () => {
  const figures = createRunFigures({ threshold: 0.8 });
  const add = (scenario: string, values: readonly number[]): void => {
    for (const overall of values) figures.add({ scenario, interactions: [turn({ overall })] });
  };
  add("a", [1, 1, 1]);
  add("b", [1, 1, 0, 0]);
  // pass^3: C(3,3)/C(3,3) and C(2,3)/C(4,3).
  expect(figures.finish().summary.pass_hat_k).toEqual({ k: 3, mean: 0.5, scenarios: 2 });
  figures.add({ scenario: "c", interactions: [turn({ overall: 0 })] });
  expect(figures.finish().summary.pass_hat_k).toBeUndefined();
});

test("an interrupted attempt makes no scenario flaky", () => {
  const figures = createRunFigures({});
  for (const overall of [1, 1]) figures.add({ scenario: "a", interactions: [turn({ overall })] });
  figures.add({ scenario: "a", interactions: [turn({ overall: 0 })], unfinished: true });
  const { summary } = figures.finish();
  expect(summary.flaky).toBe(0);
  expect(summary.flakiness).toBeUndefined();
});
