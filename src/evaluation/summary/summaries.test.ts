import { expect, test } from "vitest";
import { RunSummary } from "../../contract/schemas/run.ts";
import type { Metadata } from "../../contract/schemas/scenario.ts";
import type { Scores } from "../../contract/schemas/scores/score.ts";
import { sampleReply } from "../../contract/testing/sample-reply.ts";
import { addHelperUsage, helperUsageOf } from "../helpers/helper-usage.ts";
import { createRunFigures, statusMessage } from "./summarize-run.ts";
import { summarizeScenario as summarize } from "./summarize-scenario.ts";
import { averageScores, type ScoredInteraction } from "./score-averages.ts";

function scored(
  scores: Scores,
  reference_metadata: Metadata = {},
  generated_metadata: Metadata = {},
): ScoredInteraction {
  const usage = { input_tokens: 2, output_tokens: 1, total_tokens: 3 };
  return { scores: { success: 1, ...scores }, reference_metadata, generated_metadata, error: null, usage };
}

const summarizeScenario = (attempts: readonly (readonly ScoredInteraction[])[]) =>
  summarize(
    attempts.map((interactions) => ({ interactions })),
    { threshold: 0.8 },
  );

const failed: ScoredInteraction = {
  scores: { success: 0 },
  reference_metadata: { intent: "a" },
  generated_metadata: {},
  error: { code: "upstream_timeout", detail: "", upstream_status: null, tries: 3, retryable: true },
  usage: null,
};

test("an attempt is the mean of the interactions that have the score; a failure lowers success only", () => {
  expect(averageScores([{ success: 1, overall: 0.5 }, { success: 0 }])).toEqual({ success: 0.5, overall: 0.5 });
  expect(averageScores([])).toEqual({});
});

test("a scenario is the mean of its attempts, each counting once", () => {
  expect(averageScores([{ overall: 1 }, { overall: 0.5 }, {}])).toEqual({ overall: 0.75 });
  const figures = summarizeScenario([
    [scored({ overall: 1 }), scored({ overall: 1 }), scored({ overall: 1 })],
    [scored({ overall: 0 })],
  ]);
  expect(figures.average_scores).toEqual({ success: 1, overall: 0.5 });
});

test("reports reply durations; a failed turn has none", () => {
  const figures = createRunFigures();
  const timed = (latency_ms: number, first_token_ms: number | null) => ({ ...scored({}), latency_ms, first_token_ms });
  figures.add({ scenario: "a", interactions: [timed(100, 10), timed(300, null), { ...failed, latency_ms: 60_000 }] });
  figures.add({ scenario: "b", interactions: [timed(200, 30)], reference: [timed(9_000, 9_000)] });
  const { latency_ms, first_token_ms } = figures.finish().summary;
  expect(latency_ms).toEqual({ n: 3, mean: 200, p50: 200, p95: 300, max: 300 });
  expect(first_token_ms).toEqual({ n: 2, mean: 20, p50: 10, p95: 30, max: 30 });
  expect(createRunFigures().finish().summary).not.toHaveProperty("latency_ms");
});

test("a scenario has statistics over its attempts", () => {
  const { score_stats } = summarizeScenario([
    [scored({ overall: 0.9 }), failed],
    [scored({ overall: 0.7 }), scored({})],
  ]);
  expect(score_stats["overall"]).toMatchObject({ n: 2, n_missing: 2, min: 0.7, method: "t over 2 attempts" });
  expect(score_stats["success"]).toMatchObject({
    n: 2,
    n_missing: 0,
    mean: 0.75,
    method: "wilson with t over 2 attempts",
  });
});

test("constant 0/1 scores have Wilson's interval, other constant scores none", () => {
  const { score_stats } = summarizeScenario([
    [scored({ "metadata.intent": 1, token_f1: 1 })],
    [scored({ "metadata.intent": 1, token_f1: 1 })],
  ]);
  expect(score_stats["success"]?.method).toBe("wilson over 2 attempts");
  expect(score_stats["metadata.intent"]?.method).toBe("wilson over 2 attempts");
  expect(score_stats["token_f1"]).toMatchObject({ ci_lower: null, method: "none: all 2 attempts have the same value" });
});

test("an attempt passes when every turn replied and overall reaches the threshold", () => {
  const { reliability } = summarizeScenario([
    [scored({ overall: 0.8 })],
    [scored({ overall: 0.7 })],
    [scored({ overall: 1 }), failed],
    [failed],
  ]);
  expect(reliability).toMatchObject({ threshold: 0.8, attempts: 4, passed: 1 });
});

test("a mean of turns at the threshold reaches it, despite rounding", () => {
  const turns = [scored({ overall: 0.7 }), scored({ overall: 0.7 }), scored({ overall: 0.7 })];
  const { reliability } = summarize([{ interactions: turns }], { threshold: 0.7 });
  expect(reliability).toMatchObject({ attempts: 1, passed: 1 });
});

test("an attempt with a failed turn has not passed, even if the other turns have no scores", () => {
  const lostTheOnlyJudged = [failed, scored({})];
  const { reliability } = summarizeScenario([[scored({ overall: 1 }), scored({})], lostTheOnlyJudged]);
  expect(reliability).toMatchObject({ attempts: 2, passed: 1, pass_hat_k: [0.5, 0] });
  expect(summarizeScenario([[failed], [failed]])).toMatchObject({
    reliability: { attempts: 2, passed: 0 },
    average_scores: { success: 0 },
  });
});

test("a scenario without scores has no reliability", () => {
  expect(summarizeScenario([[scored({})], [failed]]).reliability).toBeNull();
  expect(summarizeScenario([])).toMatchObject({
    average_scores: {},
    score_stats: {},
    reliability: null,
    label_metrics: {},
  });
});

test("counts labels that both sides have; leaves out lists and failures; a label never given has a count of 0", () => {
  const { label_metrics } = summarizeScenario([
    [scored({}, { intent: "a", tags: ["x"], amount: 42 }, { intent: "A", tags: ["x"] }), failed],
    [scored({}, { intent: "b", urgent: true }, { intent: "a", urgent: true })],
  ]);
  expect(label_metrics["intent"]).toMatchObject({ n: 2, accuracy: 0.5, confusion: { a: { a: 1 }, b: { a: 1 } } });
  expect(label_metrics["urgent"]).toMatchObject({ n: 1, accuracy: 1 });
  expect(label_metrics["amount"]).toEqual({ n: 0, accuracy: null, macro_f1: null, kappa: null, confusion: {} });
  expect(label_metrics["tags"]).toBeUndefined();
});

test("a run is the mean of its scenarios, with intervals over scenarios, in any order of attempts", () => {
  const figures = createRunFigures();
  figures.add({ scenario: 1, interactions: [scored({ overall: 0.2 })] });
  figures.add({ scenario: 0, interactions: [scored({ overall: 1 })] });
  figures.add({ scenario: 1, interactions: [scored({ overall: 0.4 }), failed] });
  const { summary, message } = figures.finish();
  expect(RunSummary.parse(summary)).toEqual(summary);
  expect(summary.average_scores["overall"]).toBeCloseTo(0.65, 12);
  expect(summary.average_scores["success"]).toBeCloseTo(0.875, 12);
  expect(summary.score_stats["overall"]).toMatchObject({
    n: 2,
    n_missing: 1,
    method: "t and Bayesian bootstrap over 2 scenarios",
  });
  expect(summary).toMatchObject({
    interactions: 4,
    failed: 1,
    usage: { input_tokens: 6, output_tokens: 3, total_tokens: 9 },
  });
  expect(message).toBe("Evaluation completed: 1 of 4 interactions failed (upstream_timeout)");
  expect(figures.finish()).toEqual({ summary, message });
});

test("counts contradictions and flaky scenarios, and sums up costs of replies and helpers", () => {
  const [good, bad] = [scored({ overall: 1 }), scored({ overall: 0.2 })];
  const helper_usage = { calls: 2, usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 }, cost: 0.25 };
  const conflicts = [{ kind: "number" as const, reply: "5", reference: "6", message: "5 instead of 6" }];
  const figures = createRunFigures({ threshold: 0.8 });
  figures.add({ scenario: "steady", interactions: [{ ...good, cost: 0.5, helper_usage }] });
  figures.add({ scenario: "steady", interactions: [{ ...good, cost: 0, conflicts: [] }] });
  figures.add({ scenario: "flaky", interactions: [good] });
  figures.add({ scenario: "flaky", interactions: [{ ...bad, conflicts }] });
  figures.add({ scenario: "bad", interactions: [{ ...failed, cost: null }] });
  const { summary } = figures.finish();
  expect(summary).toMatchObject({ conflicts: 1, flaky: 1, cost: { total: 0.75, unpriced: 2 }, helper_usage });
  expect(summary).not.toHaveProperty("judge_audited");
});

test("counts scenarios by verdict, the causes of missing replies, and turns that always fail in passing scenarios", () => {
  const figures = createRunFigures({ threshold: 0.8 });
  const turns = (...values: readonly number[]) =>
    values.map((overall, turn_index) => ({ ...scored({ overall }), turn_index }));
  for (const scenario of ["passing", "flaky", "failing", "silent", "unscored", "waiting", "never"])
    figures.expect(scenario);
  // The second turn fails in both attempts, the fourth in one only.
  figures.add({ scenario: "passing", interactions: turns(1, 0.4, 1, 1, 1) });
  figures.add({ scenario: "passing", interactions: turns(1, 0.5, 1, 0.7, 1) });
  figures.add({ scenario: "flaky", interactions: turns(1, 1) });
  figures.add({ scenario: "flaky", interactions: turns(0.1, 1) });
  figures.add({ scenario: "failing", interactions: turns(0.1, 1) });
  figures.add({ scenario: "silent", interactions: [...turns(1), failed] });
  figures.add({ scenario: "silent", interactions: [failed] });
  figures.add({ scenario: "unscored", interactions: [scored({})] });
  figures.add({ scenario: "waiting", interactions: turns(1), unfinished: true });
  const { summary } = figures.finish();
  expect(summary.scenarios).toEqual({
    total: 7,
    passing: 1,
    flaky: 1,
    failing: 1,
    no_reply: 1,
    unscored: 1,
    waiting: 2,
  });
  expect(summary.failures).toEqual([{ code: "upstream_timeout", count: 2, detail: failed.error?.detail }]);
  expect(summary.always_failing).toEqual([{ scenario_id: "passing", turns: [1] }]);
  expect(RunSummary.parse(summary)).toEqual(summary);
});

test("removes binary rounding errors from costs", () => {
  const helper_usage = { calls: 1, usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 }, cost: 0.1 };
  const figures = createRunFigures();
  for (const _ of [1, 2, 3])
    figures.add({ scenario: "a", interactions: [{ ...scored({ overall: 1 }), cost: 0.2, helper_usage }] });
  expect(figures.finish().summary).toMatchObject({ cost: { total: 0.9 }, helper_usage: { cost: 0.3 } });
});

test("one unaudited verdict makes the run unaudited", () => {
  const verdict = (judge_audited: boolean) => ({
    judgements: {
      judge_correctness: { value: 1, verdict: "equivalent", votes: [], agreement: 1, judge_audited },
    },
  });
  const auditedOf = (...all: readonly boolean[]) => {
    const figures = createRunFigures();
    for (const audited of all) figures.add({ scenario: 0, interactions: [{ ...scored({}), ...verdict(audited) }] });
    return figures.finish().summary.judge_audited;
  };
  expect([auditedOf(true, true), auditedOf(true, false, true)]).toEqual([true, false]);
});

test("an empty run has a summary too", () => {
  const { summary, message } = createRunFigures().finish();
  expect(summary).toMatchObject({ average_scores: {}, score_stats: {}, interactions: 0, failed: 0 });
  expect(message).toBe("Evaluation completed: 0 interactions");
});

test("the message names causes of failures, most frequent first", () => {
  expect(statusMessage({ interactions: 10, failures: new Map() })).toBe("Evaluation completed: 10 interactions");
  expect(statusMessage({ interactions: 1, failures: new Map() })).toBe("Evaluation completed: 1 interaction");
  expect(statusMessage({ interactions: 10, failures: new Map([["upstream_timeout", 7]]) })).toBe(
    "Evaluation completed: 7 of 10 interactions failed (upstream_timeout)",
  );
  const failures = new Map([
    ["upstream_auth", 1],
    ["upstream_timeout", 2],
  ] as const);
  expect(statusMessage({ interactions: 10, failures })).toBe(
    "Evaluation completed: 3 of 10 interactions failed (upstream_timeout 2, upstream_auth 1)",
  );
});

test("the message reports failed turns with reference history", () => {
  const figures = createRunFigures();
  figures.add({ scenario: "a", interactions: [scored({}), scored({})], reference: [scored({}), failed] });
  const { summary, message } = figures.finish();
  expect(message).toBe("Evaluation completed: 2 interactions; with reference history 1 of 2 failed");
  expect(summary.failed).toBe(0);
});

test("reports replies whose scoring failed, not those with nothing to score", () => {
  const figures = createRunFigures();
  const lost = { ...scored({}), failed_scores: ["judge_correctness"] };
  const enough = { ...scored({ overall: 1 }), failed_scores: ["latency"] };
  figures.add({ scenario: "a", interactions: [scored({ overall: 1 }), scored({}), lost, enough, failed] });
  const { summary, message } = figures.finish();
  expect(summary.unscored).toBe(1);
  expect(message).toBe("Evaluation completed: 1 of 5 interactions failed (upstream_timeout); the scoring of 1 failed");
  expect(createRunFigures().finish().summary).not.toHaveProperty("unscored");
});

test("counts the replies of a conversation without a verdict once, and fails the gate", () => {
  const figures = createRunFigures({ gate: { scores: { "conversation.tone": 0.5 } } });
  const judged = (scores: Record<string, number>) => ({
    scores,
    score_reasons: { "conversation.tone": "said", "conversation.facts": "said", conversation_rubrics: "said" },
    judgements: {},
  });
  const all = judged({ "conversation.tone": 1, "conversation.facts": 1, conversation_rubrics: 1 });
  const lost = { ...scored({}), failed_scores: ["latency"] };
  figures.add({ scenario: "a", interactions: [scored({ overall: 1 }), scored({})], conversation: all });
  figures.add({
    scenario: "b",
    interactions: [scored({ overall: 1 }), lost, failed],
    conversation: judged({ "conversation.tone": 1 }),
  });
  figures.add({ scenario: "c", interactions: [failed], conversation: judged({}) });
  const { summary } = figures.finish();
  expect(summary).toMatchObject({ interactions: 6, failed: 2, unscored: 2 });
  expect(summary.gate?.checks).toContainEqual({ name: "unscored_rate", required: 0, actual: 2 / 6, passed: false });
});

test("labels within the tolerance of their rule count as right in every figure", () => {
  const turns = [
    scored({}, { stars: 5 }, { stars: 4 }),
    scored({}, { stars: 5 }, { stars: 5.5 }),
    scored({}, { stars: 1 }, { stars: 1.5 }),
  ];
  const metricsWith = (label_rules: Record<string, { tolerance: number }>) =>
    summarize([{ interactions: turns }], { label_rules }).label_metrics["stars"];
  const confusion = { 5: { 5: 2 }, 1: { 1: 1 } };
  expect(metricsWith({ stars: { tolerance: 1 } })).toMatchObject({ accuracy: 1, macro_f1: 1, kappa: 1, confusion });
  expect(metricsWith({})).toMatchObject({ accuracy: 0, macro_f1: 0, kappa: 0 });
});

test("a label of another type is wrong in both accuracy and score", () => {
  const turns = [
    scored({}, { stars: 5, urgent: true }, { stars: "5", urgent: "True" }),
    scored({}, { stars: 5 }, { stars: 5 }),
  ];
  const { stars, urgent } = summarizeScenario([turns]).label_metrics;
  expect(stars).toMatchObject({ n: 2, accuracy: 0.5, confusion: { 5: { "5 (string)": 1, 5: 1 } } });
  expect(urgent).toMatchObject({ n: 1, accuracy: 0, confusion: { true: { "True (string)": 1 } } });
});

test("a number and its opposite are two labels", () => {
  const pairs = [
    [-1, 1],
    [1, -1],
    [1, 1],
  ] as const;
  const turns = pairs.map(([expected, given]) => scored({}, { mood: expected }, { mood: given }));
  const { mood } = summarizeScenario([turns]).label_metrics;
  expect(mood?.accuracy).toBeCloseTo(1 / 3, 12);
  expect(mood?.confusion).toEqual({ "-1": { 1: 1 }, 1: { "-1": 1, 1: 1 } });
});

test("a missing verdict on a conversation counts per conversation, and affects no other score", () => {
  const figures = createRunFigures();
  const turns = [scored({ overall: 0.5 }), scored({}), scored({ overall: 1 })];
  for (const scores of [{ conversation_quality: 1 }, {}]) {
    figures.add({ scenario: "a", interactions: turns, conversation: { scores, score_reasons: {}, judgements: {} } });
  }
  const { score_stats } = figures.finish().summary;
  const missing = Object.entries(score_stats).map(([name, { n_missing }]) => [name, n_missing]);
  expect(Object.fromEntries(missing)).toEqual({ success: 0, overall: 2, conversation_quality: 1 });
  const ofScenario = summarize([
    { interactions: turns, conversation: { scores: { conversation_quality: 1 }, score_reasons: {} } },
  ]).score_stats;
  expect(ofScenario["success"]?.n_missing).toBe(0);
  expect(ofScenario["conversation_quality"]?.n_missing).toBe(0);
});

test("a missing label or a list is wrong in both accuracy and score", () => {
  const turns = [
    scored({ "metadata.intent": 1, "metadata.urgent": 0 }, { intent: "refund", urgent: true }, { intent: "refund" }),
    scored(
      { "metadata.intent": 0, "metadata.urgent": 1 },
      { intent: "refund", urgent: true },
      { intent: ["refund"], urgent: true },
    ),
    scored({ "metadata.intent": 0 }, { intent: "refund", urgent: true }, { intent: { name: "refund" } }),
  ];
  const { intent, urgent } = summarizeScenario([turns]).label_metrics;
  expect(intent).toMatchObject({ n: 3, confusion: { refund: { refund: 1, "(list)": 1, "(object)": 1 } } });
  expect(intent?.accuracy).toBeCloseTo(1 / 3, 12);
  expect(urgent).toMatchObject({ n: 2, accuracy: 0.5, confusion: { true: { "(missing)": 1, true: 1 } } });
  expect(urgent?.macro_f1).toBeCloseTo(2 / 3, 12);
});

test("a cost reports unpriced answers of judge and labeller, even if others are priced", () => {
  const answered = (price: number | null) => helperUsageOf(sampleReply("a"), () => price);
  const helper_usage = addHelperUsage(answered(0.25), answered(null));
  const figures = createRunFigures();
  figures.add({ scenario: "a", interactions: [{ ...scored({ overall: 1 }), cost: 0.5, helper_usage }] });
  const { cost } = figures.finish().summary;
  expect(cost).toEqual({ total: 0.75, unpriced: 1 });
});

test("sums up judge costs over turns and conversations, even if replies have no price", () => {
  const helper_usage = helperUsageOf(sampleReply("a"), () => 0.25);
  const turn = { ...scored({ overall: 1 }), cost: null, helper_usage };
  const figures = createRunFigures();
  const conversation = { scores: {}, score_reasons: {}, judgements: {}, helper_usage };
  figures.add({ scenario: "a", interactions: [turn, turn], conversation });
  const { cost, helper_usage: together } = figures.finish().summary;
  expect(cost).toEqual({ total: 0.75, unpriced: 2 });
  expect(together).toMatchObject({ calls: 3, cost: 0.75 });
});
