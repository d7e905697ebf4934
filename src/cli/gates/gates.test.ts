import { expect, test } from "vitest";
import type { RunDigest } from "../../formats/export/results/run-digest.ts";
import { evaluateGates, evaluateUnscored } from "./evaluate-gates.ts";
import { parseGate } from "./parse-gate.ts";

const stats = (mean: number, ci_lower: number | null) => ({
  n: 4,
  n_missing: 0,
  mean,
  min: mean - 0.2,
  sd: 0.1,
  stderr: 0.05,
  ci_lower,
  ci_upper: ci_lower === null ? null : mean + 0.1,
  method: ci_lower === null ? "too few values" : "t",
});
const reliability = (passed: number, attempts = 4) => ({
  threshold: 0.8,
  attempts,
  passed,
  pass_at_k: Array.from({ length: attempts }, () => 1),
  pass_hat_k: Array.from({ length: attempts }, (_, index) => (passed / attempts) ** (index + 1)),
});
const scenario = (scenario_id: string, overall: number, passed: number) => ({
  scenario_id,
  average_scores: { overall },
  score_stats: { overall: stats(overall, 0.5) },
  reliability: reliability(passed),
});
const response = {
  scenarios: [scenario("good", 0.9, 4), scenario("bad", 0.5, 2)],
  lostScores: new Set(),
  uncountedReplies: 0,
  summary: {
    average_scores: { overall: 0.7, "metadata.intent": 1, lonely: 1 },
    score_stats: { overall: stats(0.7, 0.6), "metadata.intent": stats(1, 0.9), lonely: stats(1, null) },
    interactions: 200,
    failed: 1,
    unscored: 10,
    cost: { total: 0.25, unpriced: 0 },
  },
  usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
} as unknown as RunDigest;

test.each([
  ["overall>=0.7", true, 0.7],
  ["overall >= 70%", true, 0.7],
  ["overall>0.7", false, 0.7],
  ["overall.ci_lower>=0.6", true, 0.6],
  ["overall.ci_lower>=0.61", false, 0.6],
  ["overall.min>=0.5", true, 0.5],
  ["metadata.intent>=1", true, 1],
  ["metadata.intent.ci_lower>=0.95", false, 0.9],
  ["each:overall>=0.5", true, 0.5],
  ["each:overall>=0.6", false, 0.5],
  ["pass^1>=0.75", true, 0.75],
  ["pass^2>=0.7", false, 0.625],
  ["pass@2>=1", true, 1],
  ["failure_rate<=1%", true, 0.005],
  ["failure_rate<=0", false, 0.005],
  ["unscored_rate<=5%", true, 0.05],
  ["unscored_rate<=1%", false, 0.05],
  ["cost<=0.25", true, 0.25],
  ["tokens<3", false, 3],
])("evaluates %s", (text, passed, actual) => {
  const [check] = evaluateGates([parseGate(text)], response);
  expect(check?.passed).toBe(passed);
  expect(check?.actual).toBeCloseTo(actual, 10);
});

test.each([
  ["overall>=0.7", false, 0.675],
  ["overall>=0.65", true, 0.675],
  ["overall<=0.8", true, 0.75],
  ["each:overall>=0.5", false, 0.45],
  ["success>=0.75", true, 0.75],
  // Over 0.9, 0.9, 0.45 and 0.45.
  ["overall.ci_lower>=0.5", false, 0.262],
])("counts a missing reply as 0 in a minimum: %s", (text, passed, actual) => {
  const scenarios = [1, 1, 0.5, 0.5].map((success, index) => {
    const averages = { success, overall: 0.9 };
    return { ...scenario(`s${index}`, 0.9, 1), average_scores: averages };
  });
  const summary = { ...response.summary, average_scores: { success: 0.75, overall: 0.75 }, failed: 2 };
  const [check] = evaluateGates([parseGate(text)], { ...response, scenarios, summary } as unknown as RunDigest);
  expect(check?.passed).toBe(passed);
  expect(check?.actual).toBeCloseTo(actual, 3);
});

test("says how many missing replies count", () => {
  const scenarios = [{ ...scenario("s", 0.9, 1), average_scores: { success: 0.5, overall: 0.9 } }];
  const summary = { ...response.summary, failed: 2 };
  const [check] = evaluateGates([parseGate("overall>=0.8")], {
    ...response,
    scenarios,
    summary,
  } as unknown as RunDigest);
  expect(check?.message).toBe("overall>=0.8: is 0.45 (with 2 missing replies as 0), failed");
});

test.each([
  ["judge>=0.5", /no score judge; it has overall/],
  ["lonely.ci_lower>=0.5", /not known \(too few values\)/],
  ["pass^5>=0.5", /scenario good has 4 attempts, not 5/],
  ["each:lonely>=0.5", /scenario good has no lonely/],
])("does not pass when it cannot be measured: %s", (text, message) => {
  const [check] = evaluateGates([parseGate(text)], response);
  expect(check).toMatchObject({ passed: false, actual: null });
  expect(check?.message).toMatch(message);
});

test.each([
  ["sure.ci_lower>=0.92", true, 0.9286524008666412],
  ["sure.ci_lower>=0.93", false, 0.9286524008666412],
  ["sure.ci_upper>=1", true, 1],
  ["hopeless.ci_upper<=0.08", true, 0.07134759913335889],
])("uses Wilson's interval when all scenarios pass or all fail: %s", (text, passed, end) => {
  // statsmodels 0.15.0 proportion_confint(50, 50, method="wilson").
  const equal = (mean: number) => ({ ...stats(mean, null), n: 50, sd: 0 });
  const score_stats = { sure: equal(1), hopeless: equal(0), half: equal(0.5) };
  const even = { ...response, summary: { ...response.summary, score_stats } } as unknown as RunDigest;
  const [check, half] = evaluateGates([parseGate(text), parseGate("half.ci_lower>=0.1")], even);
  expect(check).toMatchObject({ passed, actual: expect.closeTo(end, 10) });
  expect(check?.message).toMatch(/\(all 50 are [01], by Wilson's interval\)/);
  expect(half).toMatchObject({ passed: false, actual: null });
});

test("does not take missing token counts for zero", () => {
  const [check] = evaluateGates([parseGate("tokens<=1000")], { ...response, uncountedReplies: 1 });
  expect(check).toMatchObject({ passed: false, actual: null });
  expect(check?.message).toContain("1 reply without a token count");
});

test.each([
  [{ total: 0.25, unpriced: 3 }, /3 replies without a price/],
  [undefined, /no price is known/],
])("does not pass with a partial cost: %j", (cost, message) => {
  const partly = { ...response, summary: { ...response.summary, cost } } as typeof response;
  const [check] = evaluateGates([parseGate("cost<=1")], partly);
  expect(check).toMatchObject({ passed: false, actual: null });
  expect(check?.message).toMatch(message);
});

test("rounding does not decide a gate", () => {
  const rounded = { ...response, summary: { ...response.summary, average_scores: { overall: 0.1 + 0.7 } } };
  expect(evaluateGates([parseGate("overall>=0.8")], rounded)[0]?.passed).toBe(true);
});

test.each([
  ["overall>=0.8", 0.79996, "overall>=0.8: is 0.79996, failed"],
  ["overall>0.8", 0.8000001, "overall>0.8: is 0.8000001, passed"],
  ["overall>=0.8", 0.7 + 0.1, "overall>=0.8: is 0.8, passed"],
  ["overall>=0.8", 0.123456, "overall>=0.8: is 0.123, failed"],
])("shows enough digits that the figure does not contradict the verdict: %s with %f", (text, mean, message) => {
  const near = { ...response, summary: { ...response.summary, average_scores: { overall: mean } } };
  expect(evaluateGates([parseGate(text)], near)[0]?.message).toBe(message);
});

test("accepts a label key with spaces", () => {
  const { measure } = parseGate(" each: metadata.customer mood.min >= 80% ");
  expect(measure).toEqual({ kind: "score", score: "metadata.customer mood", statistic: "min", each: true });
});

test.each(["", "overall", "overall>=", ">=0.8", "overall=0.8", "overall>=high", "each:pass^2>=1", "each:cost<=1"])(
  "%j is no gate",
  (text) => expect(() => parseGate(text)).toThrow(/cannot be read/),
);

test.each(["overall>=80", "failure_rate<=5", "each:overall.min>=1.5", "pass^2>=90", "overall>=150%"])(
  "%j would always or never pass",
  (text) => expect(() => parseGate(text)).toThrow(/measures a figure from 0 to 1 but has the bound/),
);

test("accepts any bound for cost and tokens", () => {
  expect(["cost<=2", "tokens<=5000", "overall<=100%"].map((text) => parseGate(text).bound)).toEqual([2, 5000, 1]);
});

test.each([
  [["overall>=0.5"], [], ["unscored_rate<=0"]],
  [["pass^1>=0.5"], [], ["unscored_rate<=0"]],
  [["each:judge_correctness>=0.5"], [], ["unscored_rate<=0"]],
  [[], ["overall"], ["unscored_rate<=0"]],
  [[], ["success", "judge_correctness"], ["unscored_rate<=0"]],
  [["success>=1", "overall>=0.5"], [], ["unscored_rate<=0"]],
  [["success>=1", "token_f1>=0.5", "cost<=1"], ["success"], []],
  [["overall>=0.5", "unscored_rate<=5%"], ["overall"], []],
])("fails on replies without a score when %j or a baseline in %j depends on them", (gates, watched, expected) => {
  const lost = { ...response, lostScores: new Set(["judge_correctness"]) };
  const checks = evaluateUnscored(gates.map(parseGate), watched, lost);
  expect(checks.map(({ gate, passed }) => (passed ? undefined : gate))).toEqual(expected);
  const whole = { ...response, summary: { ...response.summary, unscored: 0 } };
  expect(evaluateUnscored(gates.map(parseGate), watched, whole)).toEqual([]);
});

test("outcomes that could not be decided keep a gate on them from passing, unless the others already fail it", () => {
  const withOutcome = (outcome: number | undefined) => ({
    ...scenario("s", 1, 4),
    hasOutcome: true,
    average_scores: { ...(outcome !== undefined && { outcome }) },
    verdict: { outcome: outcome === undefined ? "unscored" : "passed" },
  });
  const run = (...outcomes: (number | undefined)[]) => {
    const known = outcomes.filter((value) => value !== undefined);
    const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
    const summary = { ...response.summary, average_scores: { outcome: mean }, score_stats: {} };
    return { ...response, summary, scenarios: outcomes.map(withOutcome) } as unknown as RunDigest;
  };
  const [open] = evaluateGates([parseGate("outcome>=0.9")], run(1, 1, undefined));
  expect(open).toMatchObject({ passed: false, undecided: true, actual: null });
  expect(open?.message).toContain("the outcome of 1 scenario could not be decided");
  expect(evaluateGates([parseGate("pass^1>=0.5")], run(1, undefined))[0]).toMatchObject({ undecided: true });
  const [failed] = evaluateGates([parseGate("outcome>=0.9")], run(1, 0, undefined));
  expect(failed).toMatchObject({ passed: false, actual: 0.5 });
  expect(failed?.undecided).toBeUndefined();
  expect(evaluateGates([parseGate("outcome>=1")], run(1, 1))[0]).toMatchObject({ passed: true });
});
