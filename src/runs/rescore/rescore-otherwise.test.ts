import { expect, test } from "vitest";
import type { RunPolicy } from "../../contract/schemas/shared/endpoint-policy.ts";
import { ServiceError } from "../../contract/errors/errors.ts";
import type { ChatModel } from "../../contract/ports/chat-model.ts";
import type { Embedder } from "../../contract/ports/embedder.ts";
import type { Store } from "../../contract/ports/store.ts";
import { RescoreRequest, type RunSettings } from "../../contract/schemas/evaluation-request.ts";
import { createRunScoring } from "../execute/run-scoring.ts";
import type { ModelTarget } from "../plan/model-target.ts";
import { rescoreRun } from "./rescore-run.ts";
import { fakeModel, lastUserMessage } from "../../../test/support/fake-model.ts";
import { numberedScenario, planLimits, startBench, type RunBench } from "../../../test/support/run-bench.ts";

const judgeAt = { endpoint: "http://judge", model_id: "judge" };
const saying = (verdict: string) => fakeModel(() => JSON.stringify({ reason: "because", verdict }));
/** Answers `q1` with `a1`, which is what `numberedScenario` expects. */
const right = () => fakeModel((asked) => lastUserMessage(asked).replace("q", "a"));
const embedder: Embedder = {
  id: "all alike",
  embed: async (texts) => ({ ok: true, vectors: texts.map(() => [1, 0]) }),
};

async function rescore(bench: RunBench, runId: string, { ask_models = false, ...fields }: Record<string, unknown>) {
  const request = RescoreRequest.parse(fields);
  const replace = { request, limits: planLimits, helpers: {} };
  return bench.results(await bench.runs.rescore(runId, null, { askModels: ask_models === true, replace }));
}

const turnsOf = ({ results }: Awaited<ReturnType<RunBench["results"]>>) =>
  results.scenarios.flatMap(({ attempts }) => attempts.flatMap(({ interactions }) => interactions));

test("rescores a run with other scorers, and records it", async () => {
  const model = right();
  await using bench = await startBench({ models: { model } });
  const suite = ["s", "t"].map((id) => numberedScenario(id, 2));
  const [first, other] = [await bench.evaluate({ test_batch: suite }), await bench.evaluate({ test_batch: suite })];
  const asked = model.requests.length;
  const scorers = ["exact_match", { type: "contains", name: "two", text: "2" }];
  const gate = { scores: { two: 0.9 } };
  const after = await rescore(bench, first.run_id, { scorers, gate, threshold: 0.7 });
  expect(model.requests).toHaveLength(asked);
  expect(after.summary.average_scores).toEqual({ success: 1, exact_match: 1, two: 0.5, overall: 0.75 });
  expect(after.summary.gate?.checks[0]).toMatchObject({ name: "two", actual: 0.5, passed: false });
  expect(after.summary.rescored).toEqual({
    at: expect.stringMatching(/Z$/),
    replaced: ["scorers", "threshold", "gate"],
  });
  expect(after.message).toBe("Evaluation completed: 4 interactions; rescored (replaced: scorers, threshold, gate)");
  expect(after.results.scenarios[0]?.reliability).toMatchObject({ threshold: 0.7, passed: 1 });
  const run = await bench.runs.get(first.run_id, null);
  expect(await bench.runs.request(run)).toMatchObject({ scorers, gate, threshold: 0.7 });

  const { notes, scores } = await bench.runs.compare(other.run_id, first.run_id, null);
  expect(notes).toContain("overall left out: the runs compute it from different scores.");
  expect(scores.map(({ name }) => name).toSorted()).toEqual(["exact_match", "success"]);

  const back = await rescore(bench, first.run_id, { scorers: null, threshold: null, gate: null });
  const { rescored, ...summary } = back.summary;
  expect(summary).toEqual(other.summary);
  expect(rescored?.replaced).toEqual(["scorers", "threshold", "gate"]);
  expect((await bench.runs.compare(other.run_id, first.run_id, null)).notes).toEqual([]);
});

test("applies new expectations and keeps the questions", async () => {
  await using bench = await startBench({ models: { model: right() } });
  const suite = ["s", "t"].map((id) => numberedScenario(id, 2));
  const { run_id } = await bench.evaluate({ test_batch: suite });
  const now = {
    ...numberedScenario("t", 2, { checks: [{ type: "contains", text: "2" }], reference_reply: "", references: ["a2"] }),
    system_prompt: "Another one",
  };
  const after = await rescore(bench, run_id, { test_batch: [numberedScenario("not of the run", 1), now] });
  expect(turnsOf(after).map(({ scores }) => [scores["token_f1"], scores["contains"], scores["overall"]])).toEqual([
    [1, undefined, 1],
    [1, undefined, 1],
    [0, 0, 0],
    [1, 1, 1],
  ]);
  expect(after.summary.rescored?.replaced).toEqual(["test_batch"]);
  expect(after.results.scenarios[1]).not.toHaveProperty("system_prompt");
  expect(turnsOf(after)[2]).toMatchObject({ reference_reply: "", references: ["a2"], agent_reply: "a1" });
});

test("allows as many judge calls as a run may make, and not one more", async () => {
  await using bench = await startBench({ models: { model: right(), judge: saying("partial") } });
  const { run_id } = await bench.evaluate({ test_batch: numberedScenario("s", 2), attempts: 2 });
  const judgedBy = (votes: number) =>
    bench.runs.rescore(run_id, null, {
      askModels: true,
      replace: {
        request: RescoreRequest.parse({ judge: { ...judgeAt, votes } }),
        limits: { ...planLimits, callsPerRun: 8 },
        helpers: {},
      },
    });
  await expect(judgedBy(3)).rejects.toThrow("Scoring it again takes 12 calls of the judge; at most 8 are allowed");
  await expect(judgedBy(2)).resolves.toMatchObject({ state: "completed" });
});

const asked = [numberedScenario("s", 2)];
const turn = (fields: object, index = 1) => ({
  id: "s",
  interactions: asked[0]!.interactions.map((given, at) => (at === index ? { ...given, ...fields } : given)),
});

test.each([
  ["another question", {}, { test_batch: turn({ user_message: "q3" }) }, "/test_batch/interactions/1/user_message"],
  ["another turn", {}, { test_batch: [turn({ id: "t9" }, 0)] }, "/test_batch/0/interactions/0/id"],
  ["fewer turns", {}, { test_batch: numberedScenario("s", 1) }, "/test_batch/interactions"],
  ["nothing of the run", {}, { test_batch: numberedScenario("other", 2) }, "/test_batch"],
  [
    "references the model saw",
    { history: "reference" },
    { test_batch: turn({ reference_reply: "a3" }) },
    "/test_batch/interactions/1/reference_reply",
  ],
  ["a check that cannot be", {}, { scorers: [{ type: "regex", pattern: "(" }] }, "/scorers/0/pattern"],
  ["a check of a turn", {}, { test_batch: turn({ checks: [{ type: "regex", pattern: "(" }] }) }, "checks/0/pattern"],
  ["weights of a score that is gone", { weights: { rouge_l: 1 } }, { scorers: ["exact_match"] }, "/weights/rouge_l"],
  ["a judge nobody set", {}, { judge: {}, ask_models: true }, "/judge/endpoint"],
  ["a judge that is not asked", {}, { judge: judgeAt }, "/ask_models must be true: the judge is new"],
  ["a labeller that is not asked", {}, { labeller: judgeAt }, "/ask_models must be true: the labeller is new"],
  [
    "references the judge did not see",
    { judge: judgeAt },
    { test_batch: turn({ references: ["a4"] }) },
    "/ask_models must be true: the references of some turns have changed",
  ],
  [
    "a rubric the judge was not asked about",
    { judge: judgeAt },
    { test_batch: turn({ checks: [{ type: "rubric", text: "Is it short?" }] }) },
    "/ask_models must be true: the rubrics of some turns",
  ],
])("refuses %s and changes nothing", async (_, request, fields, why) => {
  await using bench = await startBench({ models: { model: right(), judge: saying("partial") } });
  const { run_id } = await bench.evaluate({ test_batch: asked, ...request });
  const before = await bench.runs.get(run_id, null);
  await expect(rescore(bench, run_id, fields)).rejects.toThrow(why);
  expect(await bench.runs.get(run_id, null)).toEqual(before);
});

test("adds a judge to a run without one, and removes it again", async () => {
  const judge = saying("partial");
  await using bench = await startBench({ models: { model: right(), judge } });
  const { run_id, summary: before } = await bench.evaluate({ test_batch: asked });
  const judged = await rescore(bench, run_id, { judge: judgeAt, ask_models: true });
  expect(judged.summary.average_scores).toMatchObject({ judge_correctness: 0.5, overall: 0.5 });
  expect(judged.summary.rescored).toMatchObject({ asked_models: true, replaced: ["judge"] });
  expect(judge.requests).toHaveLength(2);
  const conversation = await rescore(bench, run_id, { judge: { ...judgeAt, scope: "conversation" }, ask_models: true });
  expect(conversation.summary.average_scores).toMatchObject({ conversation_quality: 0.5, overall: 1 });
  const without = await rescore(bench, run_id, { judge: null });
  expect(without.summary.average_scores).toEqual(before.average_scores);
  expect(without.results.scenarios[0]?.attempts[0]).not.toHaveProperty("conversation");
});

test("marks earlier verdicts as audited once the run is rescored", async () => {
  const audits = { passed: false, hasPassed: async () => audits.passed, record: async () => {} };
  await using bench = await startBench({ models: { model: right(), judge: saying("partial") }, audits });
  const before = await bench.evaluate({ test_batch: numberedScenario("s", 1), judge: judgeAt });
  expect(before.summary.judge_audited).toBe(false);
  audits.passed = true;
  const after = await rescore(bench, before.run_id, {});
  expect(after.summary.judge_audited).toBe(true);
  expect(turnsOf(after)[0]).toMatchObject({
    scores: { judge_correctness: 0.5 },
    score_reasons: { judge_correctness: "partial: because" },
    judgements: { judge_correctness: { judge_audited: true } },
  });
});

test("needs no model for a rubric without a judge", async () => {
  await using bench = await startBench({ models: { model: right() } });
  const { run_id, summary } = await bench.evaluate({ test_batch: asked });
  const after = await rescore(bench, run_id, { test_batch: turn({ checks: [{ type: "rubric", text: "Short?" }] }) });
  expect(after.summary.average_scores).toEqual(summary.average_scores);
  expect(turnsOf(after)[1]?.score_reasons["rubric"]).toBe(
    "unscored: no judge scored single replies in this run; add one and score it again",
  );
});

test("keeps the message of a cancelled run", async () => {
  const model: ChatModel = (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  await using bench = await startBench({ models: { model } });
  const { id } = await bench.create({ test_batch: asked });
  await bench.runs.cancel(id, null);
  const { message } = await bench.runs.wait(id, AbortSignal.timeout(20_000));
  const after = await rescore(bench, id, { threshold: 0.9 });
  expect([after.state, after.message]).toEqual(["cancelled", message]);
  expect(after.summary.rescored?.replaced).toEqual(["threshold"]);
});

test("removes labels together with their labeller", async () => {
  const labeller = fakeModel(() => JSON.stringify({ tone: "loud" }));
  await using bench = await startBench({ models: { model: right(), labeller } });
  const reference_metadata = { tone: "loud" };
  const labelled = await bench.evaluate({
    test_batch: numberedScenario("s", 1, { reference_metadata }),
    labeller: { endpoint: "http://labeller", model_id: "labeller" },
  });
  expect(turnsOf(labelled)[0]?.label_sources["tone"]?.source).toBe("labeller");
  const after = await rescore(bench, labelled.run_id, { labeller: null });
  expect(turnsOf(after)[0]?.label_sources["tone"]?.source).not.toBe("labeller");
});

test("asks for models when a label is new to the labeller", async () => {
  const labeller = fakeModel(() => JSON.stringify({ tone: "loud" }));
  await using bench = await startBench({ models: { model: right(), labeller } });
  const expecting = (...tones: (string | number)[]) =>
    tones.map((tone, index) => numberedScenario(`s${index}`, 1, { reference_metadata: { tone } }));
  const { run_id } = await bench.evaluate({
    test_batch: expecting("loud", "quiet"),
    labeller: { endpoint: "http://labeller", model_id: "labeller" },
  });
  for (const tones of [
    ["noisy", "quiet"],
    [1, "quiet"],
  ])
    await expect(rescore(bench, run_id, { test_batch: expecting(...tones) })).rejects.toThrow(
      "/ask_models must be true: the labels to choose from have changed",
    );
  const corrected = await rescore(bench, run_id, { test_batch: expecting("loud", "loud") });
  expect(corrected.summary.average_scores["metadata.tone"]).toBe(1);
});

test("drops semantic similarity when it is not requested, and restores it only with an embedder", async () => {
  await using bench = await startBench({ models: { model: right() }, embedderFor: async () => embedder });
  const { run_id, summary } = await bench.evaluate({ test_batch: asked });
  expect(summary.average_scores).toHaveProperty("semantic_similarity");
  await expect(rescore(bench, run_id, { test_batch: turn({ references: ["a9"] }) })).rejects.toThrow(
    "/ask_models must be true: the references of some turns have changed",
  );
  const without = await rescore(bench, run_id, { scorers: ["exact_match"] });
  expect(without.summary.average_scores).toEqual({ success: 1, exact_match: 1, overall: 1 });
  await expect(rescore(bench, run_id, { scorers: null })).rejects.toThrow("no embedder has seen the replies yet");
  const again = await rescore(bench, run_id, { scorers: null, ask_models: true });
  expect(again.summary.average_scores).toEqual(summary.average_scores);
});

test("keeps the semantic score of an embedder that is only used by name or missing now", async () => {
  let gone = false;
  const byName = ({ scorers = [] }: Pick<RunSettings, "scorers">) => scorers.includes("semantic_similarity");
  await using bench = await startBench({
    models: { model: right() },
    embedderFor: async (settings) => (byName(settings) && !gone ? embedder : null),
  });
  const { run_id, summary } = await bench.evaluate({ test_batch: asked });
  const scorers = ["token_f1", "semantic_similarity"];
  await expect(rescore(bench, run_id, { scorers })).rejects.toThrow("no embedder has seen the replies yet");
  const measured = await rescore(bench, run_id, { scorers, ask_models: true });
  expect(measured.summary.average_scores).toHaveProperty("semantic_similarity");
  gone = true;
  const kept = await rescore(bench, run_id, { threshold: 0.5 });
  expect(kept.summary.average_scores).toHaveProperty("semantic_similarity");
  const otherwise = await rescore(bench, run_id, { test_batch: turn({ references: ["a9"] }) });
  expect(otherwise.summary.average_scores).not.toHaveProperty("semantic_similarity");
  const usual = await rescore(bench, run_id, { scorers: null });
  expect(usual.summary.average_scores).toEqual(summary.average_scores);
});

test("marks an interrupted rescoring as partial until it is repeated", async () => {
  const left = new AbortController();
  let verdicts = 0;
  const judge = fakeModel(() => {
    verdicts += 1;
    if (verdicts === 2) left.abort();
    return JSON.stringify({ reason: "because", verdict: "contradicts" });
  });
  await using bench = await startBench({ models: { model: right(), judge } });
  const suite = ["s", "t", "u"].map((id) => numberedScenario(id, 1));
  const [{ run_id }, other] = [
    await bench.evaluate({ test_batch: suite }),
    await bench.evaluate({ test_batch: suite }),
  ];
  const replace = { request: RescoreRequest.parse({ judge: judgeAt }), limits: planLimits, helpers: {} };
  await expect(
    bench.runs.rescore(run_id, null, { askModels: true, replace, signal: left.signal }),
  ).rejects.toMatchObject({ name: "AbortError" });
  const partial = await bench.runs.get(run_id, null);
  expect(partial.settings.judge).toEqual(judgeAt);
  expect(partial.message).toBe(
    "Evaluation completed: 3 interactions; rescored (replaced: judge); rescoring was interrupted",
  );
  expect(partial.summary?.rescored).toMatchObject({ partial: true, asked_models: true });
  expect(await bench.runs.compare(other.run_id, run_id, null)).toMatchObject({
    comparable: false,
    reason: "Rescoring the candidate was interrupted: some of its turns still have their earlier scores.",
  });

  await expect(bench.runs.noise([run_id], null)).rejects.toThrow("was interrupted");
  const kept = await rescore(bench, run_id, {});
  expect(kept.summary.rescored?.partial).toBe(true);
  const whole = await rescore(bench, run_id, { ask_models: true });
  expect(whole.summary.rescored).not.toHaveProperty("partial");
  expect(whole.summary.average_scores["judge_correctness"]).toBe(0);
});

test("leaves a partial mark when the process dies, and completes without options", async () => {
  await using bench = await startBench({ models: { model: right() } });
  const suite = ["s", "t"].map((id) => numberedScenario(id, 1));
  const { run_id } = await bench.evaluate({ test_batch: suite });
  const { store } = bench;
  const dead = () => Promise.reject(new Error("dead"));
  let written = 0;
  const dying: Store = {
    ...store,
    runs: { ...store.runs, resummarize: (...figures) => (written > 0 ? dead() : store.runs.resummarize(...figures)) },
    attempts: { ...store.attempts, reaverage: dead },
    interactions: { ...store.interactions, rescore: (...turns) => (written++, store.interactions.rescore(...turns)) },
  };
  const replace = { request: RescoreRequest.parse({ scorers: ["exact_match"] }), limits: planLimits, helpers: {} };
  const createScoring = createRunScoring({}, { createModel: () => right() });
  const options = { store: dying, createScoring, now: Date.now, replace };
  await expect(rescoreRun(run_id, options)).rejects.toThrow("dead");
  const left = await bench.results(await bench.runs.get(run_id, null));
  expect(left.summary).toMatchObject({ average_scores: { token_f1: 1 }, rescored: { partial: true } });
  expect(turnsOf(left).map(({ scores }) => "token_f1" in scores)).toEqual([false, true]);

  const whole = await rescore(bench, run_id, {});
  expect(whole.summary.average_scores).toEqual({ success: 1, exact_match: 1, overall: 1 });
  expect(whole.summary.rescored).toEqual({ at: expect.any(String), replaced: ["scorers"] });
});

test("shows a replay only when it begins at the turn that is bad now", async () => {
  const model = fakeModel((request) => (lastUserMessage(request) === "q1" ? "a1 b" : "wrong"));
  await using bench = await startBench({ models: { model } });
  const run = await bench.evaluate({
    test_batch: numberedScenario("s", 2),
    scorers: ["token_f1"],
    threshold: 0.5,
    replay_first_bad_turn: true,
  });
  expect(run.results.scenarios[0]?.attempts[0]?.replay).toMatchObject({ from_turn: 1 });
  const { results } = await rescore(bench, run.run_id, { threshold: 0.9 });
  expect(results.scenarios[0]?.attempts[0]).toMatchObject({ first_bad_turn: { turn_index: 0 } });
  expect(results.scenarios[0]?.attempts[0]).not.toHaveProperty("replay");
});

test("every model of a run is called under the policy that the run was accepted under, also when it is scored again", async () => {
  const policy: RunPolicy = { name: "allowlist", allow: ["http://test"] };
  const models = { model: right(), judge: saying("pass") };
  const called: [string, RunPolicy | null | undefined][] = [];
  const createModel = (target: ModelTarget): ChatModel => {
    called.push([target.endpoint, target.policy]);
    return models[target.model_id as keyof typeof models];
  };
  const labeller = { endpoint: "http://labeller", model_id: "judge" };
  await using bench = await startBench({ models, createModel, policyOf: () => policy });
  const { run_id } = await bench.evaluate({ test_batch: numberedScenario("s", 1), judge: judgeAt, labeller });
  await rescore(bench, run_id, { ask_models: true });
  expect(new Set(called.map(([endpoint]) => endpoint))).toEqual(
    new Set(["http://test", "http://judge", "http://labeller"]),
  );
  for (const [, given] of called) expect(given).toEqual(policy);
});

test("refuses to rescore a run whose judge is forbidden now, and keeps its scores", async () => {
  const asked: unknown[] = [];
  await using bench = await startBench({
    models: { model: right(), judge: saying("pass") },
    policyOf: () => ({ name: "public", allow: [] }),
    checkEndpoint({ pointer, endpoint }, policy) {
      asked.push([pointer, endpoint, policy?.name]);
      throw new ServiceError("endpoint_not_allowed", "no");
    },
  });
  const before = await bench.evaluate({ test_batch: numberedScenario("s", 1), judge: judgeAt });
  await expect(rescore(bench, before.run_id, { ask_models: true })).rejects.toMatchObject({
    code: "endpoint_not_allowed",
  });
  expect(asked).toEqual([["/judge/endpoint", "http://judge", "public"]]);
  const run = await bench.runs.get(before.run_id, null);
  expect((await bench.results(run)).summary).toEqual(before.summary);
  // Without models nothing is called.
  await rescore(bench, before.run_id, { threshold: 0.7 });
});
