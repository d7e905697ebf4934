import fc from "fast-check";
import { expect, test } from "vitest";
import type { Scores } from "../contract/score.ts";
import { RunSummary } from "../contract/run-summary.ts";
import { averageScenarios } from "./average-scores.ts";
import { createBreakdown } from "./breakdown.ts";
import { addSpent, isSpent, spentOn } from "./budget.ts";
import { createDrift } from "./drift.ts";
import { firstBadTurn } from "./first-bad-turn.ts";
import { checkGate } from "./gate.ts";
import { MeanTable } from "./mean-table.ts";
import type { ScoredInteraction } from "./scored-interaction.ts";
import { createRunFigures } from "./summarize-run.ts";
import { correlation } from "./statistics/correlation.ts";
import { flakiness } from "./statistics/flakiness.ts";
import { standardDeviation } from "./statistics/mean.ts";
import { narrowEnough } from "./statistics/narrow-enough.ts";
import { noiseFloor } from "./statistics/noise-floor.ts";
import { SpreadTable, type Spread } from "./statistics/spread-table.ts";
import { pairwiseFigures } from "./comparison/pairwise.ts";

const turn = (scores: Scores, turn_index = 0): ScoredInteraction => ({
  scores,
  turn_index,
  interaction_type: "opening",
  reference_metadata: {},
  generated_metadata: {},
  error: null,
  usage: null,
});

test("a turn that failed in one mode shifts no gap but that of success", () => {
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

test("drift is reference less generated, in all and by turn, and null where one side has nothing", () => {
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
])("the sentence on drift says that overall is %s", (_what, generated, reference, sentence) => {
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

test("the gap has an interval that goes by scenarios, and what includes 0 is called chance", () => {
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

test("a gap that is there in every scenario is told with its interval", () => {
  const drift = createDrift("scenario");
  for (const [index, loss] of [0.4, 0.5, 0.45, 0.42].entries()) drift.add(attemptOf(`${index}`, [1 - loss], [1]));
  expect(drift.finish()?.sentence).toBe(
    "overall is 0.442 lower with the model's own replies as history (0.558 against 1.000), 95 % interval of the gap +0.373 to +0.512.",
  );
});

test("replies that are better after the model's own ones are told with their interval too", () => {
  const drift = createDrift("scenario");
  for (const [index, gain] of [0.4, 0.5, 0.45, 0.42].entries()) drift.add(attemptOf(`${index}`, [1], [1 - gain]));
  expect(drift.finish()?.sentence).toBe(
    "overall is 0.442 higher with the model's own replies as history (1.000 against 0.558), 95 % interval of the gap -0.512 to -0.373.",
  );
});

test("attempts that lack overall in one mode are no evidence of drift", () => {
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
])("a gap that is the same in all of %i scenarios goes by their number", (count, end) => {
  const drift = createDrift("scenario");
  for (let index = 0; index < count; index++) drift.add(attemptOf(`${index}`, [0.5], [1]));
  expect(drift.finish()?.sentence).toBe(
    `overall is 0.500 lower with the model's own replies as history (0.500 against 1.000). ${end}`,
  );
});

test("a gap of 0 with a spread is neither higher nor lower", () => {
  const drift = createDrift("scenario");
  drift.add(attemptOf("a", [0.5], [1]));
  drift.add(attemptOf("b", [1], [0.5]));
  expect(drift.finish()?.sentence).toBe(
    "No drift can be seen: overall is the same with the model's own replies as history (0.750 against 0.750), 95 % interval of the gap -1.000 to +1.000.",
  );
});

function spreadOf(values: readonly number[]): Spread {
  const table = new SpreadTable();
  for (const value of values) table.add(3, value);
  return table.of(3);
}

test("the few scenarios that make most of the variance are named", () => {
  const steady = Array.from({ length: 17 }, (_, index) => ({ scenario_id: `s${index}`, ...spreadOf([0.5, 0.51]) }));
  const flaky = [1, 2, 3].map((index) => ({ scenario_id: `f${index}`, ...spreadOf([0, 1]) }));
  const result = flakiness([...steady, ...flaky]);
  expect(result?.sentence).toBe("2 of 20 scenarios make 67 % of the variance between attempts.");
  expect(result?.scenarios.slice(0, 3).map(({ scenario_id }) => scenario_id)).toEqual(["f1", "f2", "f3"]);
  // One that makes nearly all of it does not make all.
  expect(flakiness([...steady.slice(0, 1), ...flaky.slice(0, 1)])?.sentence).toContain("makes 99 %");
  expect(flakiness(flaky.slice(0, 1))?.sentence).toContain("makes 100 %");
  expect(flakiness([{ scenario_id: "a", ...spreadOf([0.5]) }])).toBeNull();
  expect(flakiness([{ scenario_id: "a", ...spreadOf([0.5, 0.5]) }])).toBeNull();
});

test("a spread fed value by value is that of all values at once, and none where they differ by rounding alone", () => {
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

test("means by row are those of each row's scores, whatever other rows have", () => {
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
        expect(means).toEqual(Object.entries(averageScenarios(own)).toSorted());
      }
    }),
  );
});

test("an interval is narrow enough, or there is nothing more to learn", () => {
  expect(narrowEnough([0.5, 0.5, 0.5], 0.01)).toBe(true);
  expect(narrowEnough([], 0.01)).toBe(true);
  expect(narrowEnough([0.5], 0.9)).toBe(false);
  expect(narrowEnough([0.4, 0.6], 0.5)).toBe(false);
  expect(narrowEnough([0.5, 0.51, 0.49, 0.5, 0.5, 0.5], 0.02)).toBe(true);
});

test("the noise floor of the worked example", () => {
  // scipy 1.17.1: t.ppf(0.975, 3) * std([0.70, 0.72, 0.71, 0.73], ddof=1) * sqrt(2).
  expect(noiseFloor([0.7, 0.72, 0.71, 0.73]).floor).toBeCloseTo(0.058102, 5);
  expect(noiseFloor([0.7, 0.8])).toMatchObject({ floor: null, method: "none: fewer than three runs" });
  expect(noiseFloor([])).toMatchObject({ mean: null, sd: null, floor: null });
});

test("correlation is scipy's, and null where one side does not vary", () => {
  // scipy 1.17.1: pearsonr([1, 2, 3, 4, 5], [2, 1, 4, 3, 7]).
  expect(
    correlation([
      [1, 2],
      [2, 1],
      [3, 4],
      [4, 3],
      [5, 7],
    ]),
  ).toBeCloseTo(0.8241633836921339, 12);
  expect(
    correlation([
      [1, 2],
      [2, 2],
      [3, 2],
    ]),
  ).toBeNull();
  expect(
    correlation([
      [1, 2],
      [2, 1],
    ]),
  ).toBeNull();
});

test("a first bad turn is a failed one or one below the threshold; turns nobody can judge are not bad", () => {
  const at = (scores: Scores, turn_index: number) => ({ id: `${turn_index}`, turn_index, scores, error: null });
  expect(firstBadTurn([at({ success: 1 }, 0), at({ overall: 0.79 }, 1), at({ overall: 0 }, 2)], 0.8)).toEqual({
    turn_index: 1,
    id: "1",
    overall: 0.79,
  });
  expect(firstBadTurn([at({}, 0), at({ overall: 0.8 }, 1)], 0.8)).toBeNull();
  expect(firstBadTurn([], 0.8)).toBeNull();
});

test("a budget counts calls under way, at the mean of those before", () => {
  const spent = { calls: 4, tokens: 400, money: 0.4 };
  expect(isSpent({ calls: 5 }, { spent })).toBe(false);
  expect(isSpent({ calls: 5 }, { spent, underWay: 1 })).toBe(true);
  expect(isSpent({ tokens: 500 }, { spent, underWay: 1 })).toBe(true);
  expect(isSpent({ money: 0.51 }, { spent, underWay: 1 })).toBe(false);
  expect(isSpent({ seconds: 1 }, { spent, late: true })).toBe(true);
  expect(isSpent({}, { spent, underWay: 100 })).toBe(false);
});

test("a budget of as much as ten calls cost is spent by ten calls, whatever rounding makes of their sum", () => {
  const call = { calls: 1, tokens: 0, money: 0.02 };
  const nine = Array.from({ length: 9 }, () => call).reduce(addSpent);
  expect(isSpent({ money: 0.2 }, { spent: nine })).toBe(false);
  expect(addSpent(nine, call).money).toBeLessThan(0.2);
  expect(isSpent({ money: 0.2 }, { spent: addSpent(nine, call) })).toBe(true);
  expect(isSpent({ money: 0.2 }, { spent: nine, underWay: 1 })).toBe(true);
});

test("a turn that was not called has spent nothing", () => {
  const reply = {
    agent_reply: "",
    error: null,
    usage: null,
    latency_ms: 0,
    first_token_ms: null,
    tries: 0,
    finish_reason: null,
    model: null,
    system_fingerprint: null,
    endpoint_metadata: null,
  };
  expect(spentOn({ reply, scores: null })).toEqual({ calls: 0, tokens: 0, money: 0 });
});

const nothingDone = {
  average_scores: {},
  scenarios: [],
  interactions: 0,
  failed: 0,
  unscored: 0,
  attempts: { counted: 0, passed: 0 },
  unfinished: [],
};

test("an empty run passes no gate", () => {
  expect(checkGate({}, nothingDone).passed).toBe(false);
});

test("a mean of the replies that a failing judge could score passes no gate, unless failures may be", () => {
  const figures = { ...nothingDone, average_scores: { overall: 0.9 }, interactions: 10, unscored: 2 };
  const gate = { scores: { overall: 0.8 } };
  expect(checkGate(gate, figures)).toMatchObject({
    passed: false,
    checks: [
      { name: "overall", passed: true },
      { name: "failure_rate", passed: true },
      { name: "unscored_rate", required: 0, actual: 0.2, passed: false },
    ],
  });
  expect(checkGate({ ...gate, max_failure_rate: 0.2 }, figures).passed).toBe(true);
});

test("a gate on what every object has is a gate on a score that is missing", () => {
  const scenarios = [{ scenario_id: "s", average_scores: {} }];
  const gate = { scores: { toString: 0 }, scenario_scores: { valueOf: 0 } };
  expect(checkGate(gate, { ...nothingDone, scenarios }).checks).toMatchObject([
    { name: "toString", actual: null, passed: false },
    {},
    { name: "valueOf", scenario_id: "s", actual: null, passed: false },
  ]);
});

test("a gate asks each scenario, and the share of attempts that passed; what is missing does not pass", () => {
  const scenarios = [
    { scenario_id: "good", average_scores: { x: 0.9 } },
    { scenario_id: "bad", average_scores: { x: 0.7 } },
    { scenario_id: "none", average_scores: {} },
  ];
  const figures = { ...nothingDone, scenarios, interactions: 3, attempts: { counted: 4, passed: 3 } };
  const gate = { scores: { overall: 0.1 }, scenario_scores: { x: 0.8 }, min_pass_rate: 0.75 };
  expect(checkGate(gate, figures)).toEqual({
    passed: false,
    checks: [
      { name: "overall", required: 0.1, actual: null, passed: false },
      { name: "pass_rate", required: 0.75, actual: 0.75, passed: true },
      { name: "failure_rate", required: 0, actual: 0, passed: true },
      { name: "x", scenario_id: "bad", required: 0.8, actual: 0.7, passed: false },
      { name: "x", scenario_id: "none", required: 0.8, actual: null, passed: false },
      { name: "x", scenario_id: "good", required: 0.8, actual: 0.9, passed: true },
    ],
  });
  expect(checkGate({ min_pass_rate: 0.76 }, figures).passed).toBe(false);
  const many = Array.from({ length: 60 }, (_, index) => ({ scenario_id: `${index}`, average_scores: {} }));
  const { checks } = checkGate({ scenario_scores: { x: 0.8 } }, { ...figures, scenarios: many });
  expect(checks).toHaveLength(1 + 50);
});

test("slices are bounded, whatever types and tags a caller makes up", () => {
  const breakdown = createBreakdown();
  for (let index = 0; index < 1_000; index++) {
    breakdown.add({ ...turn({ overall: 1 }), interaction_type: `type ${index}` }, [`tag ${index}`]);
  }
  const { interaction_type, tag } = breakdown.finish();
  expect([Object.keys(interaction_type).length, Object.keys(tag).length]).toEqual([200, 200]);
});

test("many turns with very many tags are counted in good time", () => {
  const breakdown = createBreakdown();
  const many = [...Array.from({ length: 200_000 }, (_, index) => `tag ${index}`), "last"];
  breakdown.add(turn({ overall: 0 }), ["last", "last"]);
  for (let index = 0; index < 2_000; index++) breakdown.add(turn({ overall: 1 }), many);
  const { tag } = breakdown.finish();
  expect(Object.keys(tag)).toHaveLength(200);
  expect([tag["last"]?.n, tag["tag 0"]?.n]).toEqual([2_001, 2_000]);
});

const pair = (scenario: string, winner: "left" | "right" | "tie" | null, flipped = false) => ({
  scenario,
  judgement: { winner, flipped },
});

test.each([
  [
    { right: 8, left: 0 },
    { p: expect.closeTo(2 / 2 ** 8, 12), ci_lower: null },
    "The judge prefers the candidate: the candidate is preferred in 8 and the baseline in 0 of 8 scenarios (p = 0.008).",
  ],
  [
    { right: 1, left: 9 },
    { p: expect.closeTo(22 / 2 ** 10, 12), ci_lower: 0 },
    "The judge prefers the baseline: the candidate is preferred in 1 and the baseline in 9 of 10 scenarios (p = 0.021).",
  ],
  [
    { right: 2, left: 1, tie: 1 },
    { p: expect.closeTo(1, 12) },
    "No preference can be seen: the candidate is preferred in 2 and the baseline in 1 of 4 scenarios (p = 1.000).",
  ],
  [
    { left: 1 },
    { p: null },
    "In the one scenario both runs share, the baseline is preferred; one scenario cannot tell more.",
  ],
])("the verdict of a judge on two runs goes by the scenarios each of them wins: %o", (wins, figures, sentence) => {
  const winners = Object.entries(wins).flatMap(([winner, times]) => Array.from({ length: times }, () => winner));
  const result = pairwiseFigures(
    winners.map((winner, index) => pair(`${index}`, winner as "left")),
    true,
  );
  expect(result).toMatchObject({ ...figures, sentence });
});

test.each([
  ["right", "left", "the candidate is preferred in 8 and the baseline in 1"],
  ["left", "right", "the candidate is preferred in 1 and the baseline in 8"],
] as const)(
  "slight leads in most scenarios are no preference where a clear loss outweighs them: %s",
  (ahead, behind, counts) => {
    const slight = Array.from({ length: 8 }, (_, index) =>
      [ahead, ahead, behind].map((winner) => pair(`${index}`, winner)),
    );
    const judged = [...slight.flat(), pair("clear", behind)];
    const { p, ci_lower, ci_upper, sentence } = pairwiseFigures(judged, true);
    expect(p).toBeLessThan(0.05);
    expect(Math.min(0.5 - (ci_lower ?? 1), (ci_upper ?? 0) - 0.5)).toBeGreaterThan(0);
    expect(sentence).toMatch(`No preference can be seen: ${counts} of 9 scenarios (p = 0.039), but over all`);
  },
);

test("pairwise verdicts are counted by scenario; orders that disagree are ties", () => {
  const result = pairwiseFigures(
    [pair("a", "right"), pair("a", "tie", true), pair("b", "left"), pair("b", null)],
    true,
  );
  expect(result).toMatchObject({ pairs: 3, unreadable: 1, wins: 1, losses: 1, ties: 1, win_rate: 0.375 });
  expect(result.position_flip_rate).toBeCloseTo(1 / 3, 12);
  expect(pairwiseFigures([pair("a", null)], false).sentence).toBe("The judge gave no readable verdict.");
  const partly = pairwiseFigures([pair("a", "right"), pair("b", "left"), pair("c", null)], false);
  expect(partly.sentence).toMatch(/of 2 scenarios \(p = 1\.000\)\. On 1 of 3 pairs it gave no readable verdict\.$/);
  const none = pairwiseFigures([], false);
  expect(none).toMatchObject({ pairs: 0, win_rate: null, p: null });
  expect(none.sentence).toBe("There is no question that both runs were asked and answered.");
});

test("no figure of a run is ever NaN or infinite, and every summary fits the contract", () => {
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
      // A figure that is no number would come back as null.
      expect(RunSummary.parse(JSON.parse(JSON.stringify(summary)))).toEqual(summary);
    }),
    { numRuns: 200 },
  );
});

test("a gate is not passed by scenarios of which no attempt came to its end", () => {
  const figures = createRunFigures({ gate: { scores: { overall: 0.5 } } });
  for (const scenario of ["a", "b", "c"]) figures.expect(scenario);
  figures.add({ scenario: "a", interactions: [turn({ overall: 1 })], unfinished: true });
  figures.add({ scenario: "a", interactions: [turn({ overall: 1 })] });
  figures.add({ scenario: "b", interactions: [turn({ overall: 1 })], unfinished: true });
  const { gate } = figures.finish().summary;
  expect(gate?.checks.filter(({ passed }) => !passed)).toMatchObject([
    { name: "finished_attempts", scenario_id: "b" },
    { name: "finished_attempts", scenario_id: "c" },
  ]);
});

test("an attempt that was stopped halfway makes no scenario flaky", () => {
  const figures = createRunFigures({});
  for (const overall of [1, 1]) figures.add({ scenario: "a", interactions: [turn({ overall })] });
  figures.add({ scenario: "a", interactions: [turn({ overall: 0 })], unfinished: true });
  const { summary } = figures.finish();
  expect(summary.flaky).toBe(0);
  expect(summary.flakiness).toBeUndefined();
});
