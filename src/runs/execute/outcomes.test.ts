import { expect, test } from "vitest";
import type { AttemptWithInteractions } from "../../contract/ports/store.ts";
import { EvaluationRequest } from "../../contract/schemas/evaluation-request.ts";
import type { StoredReply } from "../../contract/schemas/interaction-result.ts";
import { labelCandidates } from "../../evaluation/labels/label-candidates.ts";
import { createScoring } from "../../evaluation/scoring.ts";
import { planRun } from "../plan/plan-run.ts";
import { rescoreAttempt } from "../rescore/rescore-attempt.ts";
import { toAttemptResults } from "../results/attempt-result.ts";
import { fakeModel, lastUserMessage } from "../../../test/support/fake-model.ts";
import { numberedScenario, planLimits, startBench } from "../../../test/support/run-bench.ts";

const judgeAt = { endpoint: "http://judge", model_id: "judge" };
/** Says the right thing in every second attempt. */
const moody = () => fakeModel((asked, call) => (call % 2 === 1 ? lastUserMessage(asked).replace("q", "a") : "no"));
const saying = (verdict: string) => fakeModel(() => JSON.stringify({ reason: "because", verdict }));

test("an attempt passes when its outcome is 1, whatever its overall", async () => {
  await using bench = await startBench({ models: { model: moody() } });
  const unlike = { ...numberedScenario("s", 1, { reference_reply: "something else" }), expect: { said: ["a1"] } };
  const response = await bench.evaluate({
    test_batch: unlike,
    attempts: 4,
    concurrency: 1,
    gate: { scores: { outcome: 0.4 } },
  });
  const [scenario] = response.results.scenarios;
  const attempts = scenario?.attempts ?? [];
  expect(attempts.map(({ outcome }) => outcome?.value)).toEqual(
    attempts.map(({ interactions }) => (interactions[0]?.agent_reply === "a1" ? 1 : 0)),
  );
  expect(scenario?.reliability).toMatchObject({ attempts: 4, passed: 2, pass_hat_k: [0.5, 1 / 6, 0, 0] });
  expect(scenario?.average_scores).toMatchObject({ outcome: 0.5, "outcome.said": 0.5, "outcome.replies": 1 });
  expect(scenario?.score_stats["outcome"]?.method).toBe(scenario?.score_stats["exact_match"]?.method);
  expect(response.summary.gate?.passed).toBe(true);
  const bad = attempts.find(({ outcome }) => outcome?.value === 0);
  expect(bad?.outcome?.parts).toContainEqual({ name: "said", passed: false, reason: 'not said: "a1"' });
  expect(bad?.conversation?.score_reasons["outcome"]).toBe('said: not said: "a1"');
});

test("the run's judge answers the rubric, also a judge of single replies, and rescoring keeps its verdict", async () => {
  const judge = saying("pass");
  await using bench = await startBench({ models: { model: fakeModel(() => "a1"), judge } });
  const expecting = { ...numberedScenario("s", 1), expect: { rubric: "Was it kind?", said: ["a1"] } };
  const response = await bench.evaluate({ test_batch: expecting, judge: { ...judgeAt, scope: "conversation" } });
  expect(response.results.scenarios[0]?.attempts[0]).toMatchObject({
    outcome: { value: 1 },
    average_scores: { outcome: 1, "outcome.rubric": 1, conversation_quality: 1 },
  });
  expect(response.summary.helper_usage?.calls).toBe(2);

  const ofTurns = await bench.evaluate({ test_batch: expecting, judge: judgeAt });
  expect(ofTurns.results.scenarios[0]?.attempts[0]?.outcome?.value).toBe(1);
  const asked = judge.requests.length;
  const after = await bench.results(await bench.runs.rescore(response.run_id, null));
  expect(judge.requests).toHaveLength(asked);
  expect(after.results.scenarios[0]?.attempts[0]).toMatchObject({
    outcome: { value: 1 },
    average_scores: { "outcome.rubric": 1, conversation_quality: 1 },
  });
});

test("a rubric without a judge leaves the outcome undecided and the attempt unscored", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "a1") } });
  const expecting = { ...numberedScenario("s", 1), expect: { rubric: "Was it kind?" } };
  const { results } = await bench.evaluate({ test_batch: expecting });
  expect(results.scenarios[0]?.attempts[0]?.outcome).toEqual({
    value: null,
    parts: [
      { name: "replies", passed: true, reason: "every turn got a reply" },
      { name: "rubric", passed: null, reason: "undecided: the run has no judge" },
    ],
  });
  expect(results.scenarios[0]?.average_scores["overall"]).toBe(1);
  expect(results.scenarios[0]?.reliability).toBeNull();
});

test("rescoring computes tool scores and rules from the stored calls", async () => {
  const {
    scenarios,
    survey: _,
    ...settings
  } = planRun(
    EvaluationRequest.parse({
      endpoint: "http://x",
      model_id: "m",
      tool_matching: { extra: "forbid" },
      test_batch: {
        id: "s",
        tool_matching: { text: "loose" },
        interactions: [
          { id: "1", user_message: "Hi", reference_tool_calls: [{ name: "greet", arguments: { name: "Ann-Marie" } }] },
          { id: "2", user_message: "Bye", reference_tool_calls: [] },
        ],
        expect: { must_not_call: ["leave"] },
      },
    }),
    planLimits,
  );
  const [scenario] = scenarios;
  if (!scenario) throw new Error("no scenario");
  const replied = (calls: readonly object[]): StoredReply =>
    ({ agent_reply: "", error: null, usage: null, latency_ms: 1, tool_calls: calls }) as unknown as StoredReply;
  const replies = [
    replied([{ id: "c", name: "greet", arguments: { name: "ann marie" } }]),
    replied([{ id: "d", name: "leave", arguments: {} }]),
  ];
  const interactions = replies.map((reply, turn_index) => ({ attempt_id: "a", turn_index, reply, scores: null }));
  const stored = { id: "a", attempt: 1, interactions } as unknown as AttemptWithInteractions;
  const scoring = createScoring({ candidates: labelCandidates(scenarios), settings });
  const { turns, average_scores } = await rescoreAttempt(stored, {
    settings,
    scenario,
    scoring,
    conversationJudge: null,
  });
  expect(turns.map(({ scores }) => [scores.scores["tool_match"], scores.scores["overall"]])).toEqual([
    [1, 1],
    [0, 0],
  ]);
  expect(turns[0]?.scores.score_reasons["overall"]).toBe("tools 1.000 (tool_match)");
  expect(average_scores).toMatchObject({ tool_match: 0.5, tool_arguments: 1, outcome: 0, "outcome.must_not_call": 0 });
  const results = toAttemptResults(
    { ...stored, interactions: interactions.map((turn, index) => ({ ...turn, scores: turns[index]?.scores ?? null })) },
    { scenario, settings },
  );
  expect(results.attempt.outcome?.value).toBe(0);
  expect(results.attempt.conversation).not.toHaveProperty("outcome");
});
