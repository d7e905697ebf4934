import { expect, test } from "vitest";
import type { Scores } from "../../contract/schemas/scores/score.ts";
import { createDrift } from "./drift.ts";
import { scoredTurn as turn } from "./testing/scored-turn.ts";

test("a turn that failed in one mode shifts only the gap of success", () => {
  const drift = createDrift();
  const easy = [turn({ success: 1, overall: 1 })];
  drift.add({ generated: easy, reference: easy });
  drift.add({ generated: [turn({ success: 0 })], reference: [turn({ success: 1, overall: 0.2 })] });
  const { scores, by_turn } = drift.finish() ?? {};
  expect(scores).toEqual({
    success: { generated: 0.5, reference: 1, gap: 0.5, n: 2, ci_lower: -1, ci_upper: 1 },
    overall: { generated: 1, reference: 1, gap: 0, n: 1, ci_lower: null, ci_upper: null },
  });
  expect(by_turn?.[0]?.["overall"]).toEqual(scores?.["overall"]);
  expect(by_turn?.[0]?.["success"]).toEqual({ generated: 0.5, reference: 1, gap: 0.5, n: 2 });
});

test("drift is reference minus generated, overall and by turn; null when one side has nothing", () => {
  const drift = createDrift();
  expect(drift.finish()).toBeNull();
  const generated = [turn({ overall: 0.9 }), turn({ overall: 0.4 }, 1)];
  drift.add({ generated, reference: [] });
  expect(drift.finish()).toBeNull();
  drift.add({ generated, reference: [turn({ overall: 0.9 }), turn({ overall: 0.8, judge: 1 }, 1)] });
  const result = drift.finish();
  expect(result?.scores["overall"]?.gap).toBeCloseTo(0.2, 12);
  expect(result?.by_turn.map((gaps) => gaps["overall"]?.gap?.toFixed(3))).toEqual(["0.000", "0.400"]);
  expect(result?.scores).not.toHaveProperty("judge");
  expect(result?.sentence).toBe(
    "overall is 0.200 lower with the model's own replies as history (0.650 against 0.850). At turn 1 the gap is 0.000, at turn 2 +0.400. One attempt cannot tell whether that is chance.",
  );
});

test.each<[string, Scores[], Scores[], string]>([
  ["lower", [{ overall: 0.4 }], [{ overall: 0.5 }], "overall is 0.100 lower with the model's own replies as history"],
  ["higher", [{ overall: 0.5 }], [{ overall: 0.4 }], "overall is 0.100 higher with the model's own replies as history"],
  [
    "higher by turn",
    [{ overall: 0.5 }, {}, { overall: 0.5 }],
    [{ overall: 0.499_9 }, {}, { overall: 0.3 }],
    "At turn 1 the gap is -0.0001, at turn 3 -0.200.",
  ],
  [
    "nearly the same",
    [{ overall: 0.5 }],
    [{ overall: 0.504 }],
    "No drift can be seen: overall is 0.004 lower with the model's own replies as history (0.500 against 0.504). One attempt cannot tell more.",
  ],
  ["unknown", [{ success: 1 }], [{ success: 1 }], "There is no overall score in both modes to compare."],
])("the drift sentence says that overall is %s", (_what, generated, reference, sentence) => {
  const drift = createDrift();
  drift.add({ generated: generated.map(turn), reference: reference.map(turn) });
  expect(drift.finish()?.sentence).toContain(sentence);
});

/** Both modes of one attempt of a scenario, turn by turn. */
const attemptOf = (cluster: string, generated: readonly number[], reference: readonly number[]) => ({
  cluster,
  generated: generated.map((overall, index) => turn({ overall }, index)),
  reference: reference.map((overall, index) => turn({ overall }, index)),
});

test("the gap has an interval over scenarios; one that includes 0 is called chance", () => {
  const drift = createDrift("scenario");
  // Scenario sums of differences 0.5 (4 turns), 0.1 (2) and 0.6 (2): mean 0.15, cluster-robust error 0.0573, t(2) 4.3027 (scipy 1.17.1).
  drift.add(attemptOf("a", [0.5, 0.4], [0.5, 0.6]));
  drift.add(attemptOf("b", [0.9, 0.8], [0.9, 0.9]));
  drift.add(attemptOf("c", [0.7, 0.2], [0.8, 0.7]));
  drift.add(attemptOf("a", [0.5, 0.3], [0.6, 0.5]));
  const { scores, by_turn, sentence } = drift.finish() ?? {};
  const { gap, ci_lower, ci_upper } = scores?.["overall"] ?? {};
  expect([gap, ci_lower, ci_upper]).toEqual([0.15, -0.0964654, 0.3964654].map((value) => expect.closeTo(value, 6)));
  expect(by_turn?.[1]?.["overall"]?.ci_upper).toEqual(expect.any(Number));
  expect(sentence).toBe(
    "No drift can be seen: overall is 0.150 lower with the model's own replies as history (0.537 against 0.688), which may be chance (95 % interval of the gap -0.096 to +0.396). At turn 1 the gap is +0.050, at turn 2 +0.250.",
  );
});

test("reports a gap in every scenario with its interval", () => {
  const drift = createDrift("scenario");
  for (const [index, loss] of [0.4, 0.5, 0.45, 0.42].entries()) drift.add(attemptOf(`${index}`, [1 - loss], [1]));
  expect(drift.finish()?.sentence).toBe(
    "overall is 0.442 lower with the model's own replies as history (0.558 against 1.000), 95 % interval of the gap +0.373 to +0.512.",
  );
});

test("reports better replies after generated history with their interval too", () => {
  const drift = createDrift("scenario");
  for (const [index, gain] of [0.4, 0.5, 0.45, 0.42].entries()) drift.add(attemptOf(`${index}`, [1], [1 - gain]));
  expect(drift.finish()?.sentence).toBe(
    "overall is 0.442 higher with the model's own replies as history (1.000 against 0.558), 95 % interval of the gap -0.512 to -0.373.",
  );
});

test("ignores attempts that lack overall in one mode", () => {
  const drift = createDrift();
  drift.add(attemptOf("1", [1], [0]));
  drift.add({ cluster: "2", generated: [turn({ success: 0 })], reference: [turn({ overall: 1 })] });
  drift.add({ cluster: "3", generated: [turn({ overall: 1 })], reference: [turn({ success: 0 })] });
  expect(drift.finish()?.sentence).toBe(
    "overall is 1.000 higher with the model's own replies as history (1.000 against 0.000). One attempt cannot tell whether that is chance.",
  );
});

test.each([
  [2, "The gap is the same in all 2 scenarios, which are too few to rule out chance (p = 0.500)."],
  [6, "The gap is the same in all 6 scenarios (p = 0.031)."],
])("a gap that is equal in all of %i scenarios is judged by their number", (count, end) => {
  const drift = createDrift("scenario");
  for (let index = 0; index < count; index++) drift.add(attemptOf(`${index}`, [0.5], [1]));
  expect(drift.finish()?.sentence).toBe(
    `overall is 0.500 lower with the model's own replies as history (0.500 against 1.000). ${end}`,
  );
});

test("a gap of 0 with variation is neither higher nor lower", () => {
  const drift = createDrift("scenario");
  drift.add(attemptOf("a", [0.5], [1]));
  drift.add(attemptOf("b", [1], [0.5]));
  expect(drift.finish()?.sentence).toBe(
    "No drift can be seen: overall is the same with the model's own replies as history (0.750 against 0.750), 95 % interval of the gap -1.000 to +1.000.",
  );
});
