import type { EvaluationResponse } from "../../../src/contract/schemas/evaluation-response.ts";
import type { InteractionError } from "../../../src/contract/schemas/interaction-result.ts";
import { makeResults, makeScenario, type TurnSketch } from "./make-results.ts";

export const refusedKey: InteractionError = {
  code: "upstream_auth",
  detail: "The endpoint answered 401 for model demo/flaky.",
  upstream_status: 401,
  tries: 1,
  retryable: false,
};

const refund = (overall: number, reply: string): TurnSketch => ({
  id: "ask-refund",
  user: "I want a refund for order 1234.",
  reference: "I have started the refund for order 1234. It arrives within 5 business days.",
  reply,
  overall,
  expected: { intent: "refund", sentiment: "neutral" },
  generated: { intent: "refund", sentiment: overall < 0.8 ? "negative" : "neutral" },
});

const good = refund(0.93, "I have started the refund for order 1234. It arrives within 5 working days.");
const poor = refund(0.41, "Refunds are not possible. Please read our terms.");
const when: TurnSketch = {
  id: "ask-when",
  user: "When exactly?",
  reference: "Within 5 business days.",
  reply: "Within **5 business days**, see [the terms](https://example.com/terms).",
  overall: 0.88,
};

/** A run with a failing, a flaky, a passing scenario and one whose endpoint refuses the key. */
export const nightly: EvaluationResponse = makeResults({
  id: "01990000-0000-7000-8000-000000000001",
  name: "nightly support",
  scenarios: [
    { id: "greeting", description: "Plain hello", attempts: Array.from({ length: 5 }, () => [{ overall: 1 }]) },
    {
      id: "refund-status",
      description: "A customer asks for a refund and when it arrives",
      attempts: [
        [good, when],
        [poor, when],
        [good, when],
        [good, when],
        [poor, when],
      ],
    },
    { id: "angry-customer", description: "A complaint", attempts: Array.from({ length: 5 }, () => [poor]) },
    {
      id: "order/status ünïcode?",
      description: "Ids may hold anything",
      attempts: [[good], [{ error: refusedKey }], [good], [good], [{ error: refusedKey }]],
    },
  ],
});

/** The same test after a change: refunds are understood now, and the greeting has become worse. */
export const nightlyAfter: EvaluationResponse = makeResults({
  id: "01990000-0000-7000-8000-000000000004",
  name: "nightly support",
  model: "demo-support-v2",
  createdAt: "2026-11-14T10:00:00.000Z",
  scenarios: [
    {
      id: "greeting",
      description: "Plain hello",
      attempts: Array.from({ length: 5 }, () => [{ overall: 0.6, reply: "Your refund is somewhere." }]),
    },
    { id: "refund-status", attempts: Array.from({ length: 5 }, () => [good, when]) },
    { id: "angry-customer", attempts: Array.from({ length: 5 }, () => [good]) },
    { id: "order/status ünïcode?", attempts: Array.from({ length: 5 }, () => [good]) },
  ],
});

export const withoutScores: EvaluationResponse = makeResults({
  id: "01990000-0000-7000-8000-000000000002",
  name: "broken endpoint",
  model: "openai/gpt-x",
  scenarios: [{ id: "hello", attempts: [[{ error: refusedKey }, { error: refusedKey }]] }],
});

/** 10,000 turns: 1,000 scenarios with 10 attempts. */
export const largeRun = (): EvaluationResponse =>
  makeResults({
    id: "01990000-0000-7000-8000-000000000003",
    name: "ten thousand turns",
    scenarios: Array.from({ length: 1000 }, (_, index) => ({
      id: `scenario-${String(index).padStart(4, "0")}`,
      attempts: Array.from({ length: 10 }, (__, attempt) => [
        { overall: index % 7 === 0 && attempt % 2 === 0 ? 0.3 : 0.9 },
      ]),
    })),
  });

const withDetails = (run: EvaluationResponse): EvaluationResponse => ({
  ...run,
  summary: {
    ...run.summary,
    conflicts: 2,
    cost: { total: 0.42, unpriced: 0 },
    gate: { passed: false, checks: [{ name: "overall", required: 0.9, actual: 0.7, passed: false }] },
    drift: {
      sentence: "Own replies cost 0.10 of overall.",
      scores: { overall: { generated: 0.7, reference: 0.8, gap: 0.1, n: 4 } },
      by_turn: [
        { overall: { generated: 0.8, reference: 0.8, gap: 0, n: 2 } },
        { overall: { generated: 0.6, reference: 0.8, gap: 0.2, n: 2, ci_lower: 0.1, ci_upper: 0.3 } },
      ],
    },
    breakdown: {
      turn_index: [
        { n: 2, average_scores: { overall: 0.8, success: 1 } },
        { n: 2, average_scores: { overall: 0.6, success: 1 } },
      ],
      interaction_type: { opening: { n: 2, average_scores: { overall: 0.8 } } },
      tag: {},
    },
  },
  results: {
    scenarios: run.results.scenarios.map((scenario) => ({
      ...scenario,
      attempts: scenario.attempts.map((attempt) => ({
        ...attempt,
        interactions: attempt.interactions.map((turn) => ({
          ...turn,
          cost: 0.0021,
          conflicts: [
            { kind: "number" as const, reply: "7", reference: "5", message: "the reply says 7, the reference 5" },
          ],
          checks: [
            { type: "contains" as const, text: "refund", mode: "all" as const, ignore_case: true },
            { type: "rubric" as const, text: "Does it say when?" },
            { type: "rubric" as const, text: "Does it say sorry?" },
          ],
          score_reasons: { ...turn.score_reasons, rubric: "pass: It does.", rubric_2: "fail: It does not." },
          judgements: {
            judge_correctness: {
              value: 0,
              verdict: "incorrect",
              votes: [{ choice: "incorrect", reason: "It names another number of days." }],
              agreement: 1,
              judge_audited: false,
            },
          },
        })),
      })),
    })),
  },
});

/** A run with everything a service may tell beyond scores. */
export const detailed: EvaluationResponse = withDetails(
  makeResults({
    id: "01990000-0000-7000-8000-000000000005",
    name: "detailed",
    scenarios: [
      {
        id: "refund-status",
        attempts: [
          [good, when],
          [poor, when],
        ],
      },
    ],
  }),
);

const own = makeResults({
  id: "01990000-0000-7000-8000-000000000006",
  name: "both histories",
  scenarios: [{ id: "refund", attempts: [[{ overall: 0.9 }, { overall: 0.2, reply: "Own reply" }]] }],
});
const taught = makeScenario({
  id: "refund",
  attempts: [[{ overall: 0.99 }, { overall: 0.95, reply: "Taught reply" }]],
});

/** A run that was made with the model's own replies as history, and with the reference replies. */
export const bothHistories: EvaluationResponse = {
  ...own,
  history: "both",
  results: {
    scenarios: own.results.scenarios.map((scenario) => ({ ...scenario, reference_attempts: taught.attempts })),
  },
};

/** A run with a simulated user, who ended one conversation and spoiled another. */
export const simulated: EvaluationResponse = withSimulatedUser(
  makeResults({
    id: "01990000-0000-7000-8000-00000000000a",
    name: "simulated users",
    scenarios: [{ id: "ask-to-cancel", attempts: [[good], [good]] }],
  }),
);

function withSimulatedUser(run: EvaluationResponse): EvaluationResponse {
  const usage = { input_tokens: 40, output_tokens: 9, total_tokens: 49 };
  const helper_usage = { calls: 1, usage, cost: null };
  const ends = [
    { ended: "done" as const, why: "the order is cancelled" },
    {
      ended: "failed" as const,
      message: "How can I help you?",
      failure: {
        kind: "spoke_as_agent" as const,
        reason: 'the user says "How can I help you"',
        found_by: "rule" as const,
      },
    },
  ];
  const scenarios = run.results.scenarios.map((scenario) => ({
    ...scenario,
    attempts: scenario.attempts.map((attempt, index) => ({
      ...attempt,
      user: ends[index]!,
      average_scores: index === 0 ? attempt.average_scores : { simulated_user: 0 },
      interactions: attempt.interactions.map((turn) => ({
        ...turn,
        simulated: true as const,
        user_turn: { source: "simulator" as const, why: "states the goal", helper_usage, latency_ms: 20 },
      })),
    })),
  }));
  const simulated_users = {
    attempts: 2,
    failed: 1,
    share: 0.5,
    low: 0.09,
    high: 0.91,
    kinds: { spoke_as_agent: 1 },
    scores_with_failures: { outcome: 0.5 },
    passed: 1,
    usage: helper_usage,
  };
  return { ...run, results: { scenarios }, summary: { ...run.summary, simulated_users } };
}
