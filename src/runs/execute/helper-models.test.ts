import { expect, test } from "vitest";
import type { Embedder } from "../../contract/ports/embedder.ts";
import type { CallRequest, Limits } from "../../contract/ports/limits.ts";
import type { ChatModel, ReplyError } from "../../contract/ports/chat-model.ts";
import { ServiceError } from "../../contract/errors/errors.ts";
import { fakeModel, lastUserMessage } from "../../../test/support/fake-model.ts";
import { EvaluationRequest } from "../../contract/schemas/evaluation-request.ts";
import { planRun } from "../plan/plan-run.ts";
import { numberedScenario, planLimits, startBench } from "../../../test/support/run-bench.ts";

const right = () => fakeModel((request) => lastUserMessage(request).replace("q", "a"));
const saying = (verdict: string) => fakeModel(() => JSON.stringify({ reason: "because", verdict }));
const judgeAt = { endpoint: "http://judge", model_id: "judge" };

test("lets a judge score every reply, outweigh lexical scores in overall, and marks it as not audited", async () => {
  await using bench = await startBench({ models: { model: right(), judge: saying("contradicts") } });
  const response = await bench.evaluate({ test_batch: numberedScenario("s", 1), judge: judgeAt });
  const [turn] = response.results.scenarios[0]?.attempts[0]?.interactions ?? [];
  expect(turn?.scores).toMatchObject({ token_f1: 1, judge_correctness: 0, overall: 0 });
  expect(turn?.judgements?.["judge_correctness"]).toMatchObject({ verdict: "contradicts", judge_audited: false });
  expect(turn?.score_reasons["judge_correctness"]).toBe("contradicts: because (judge not audited)");
  expect(response.summary).toMatchObject({ judge_audited: false, helper_usage: { calls: 1 } });
});

test("an overall that is an unaudited judge's score carries the judge's mark, also in a comparison and its verdict", async () => {
  await using bench = await startBench({ models: { model: right(), judge: saying("partial") } });
  const ask = (settings: object) =>
    bench.evaluate({ test_batch: numberedScenario("s", 1), judge: judgeAt, ...settings });
  const marked = async (settings: object) => (await ask(settings)).summary.unaudited_scores;
  expect(await marked({})).toEqual(["overall", "judge_correctness"]);
  expect(await marked({ weights: { token_f1: 1 } })).toEqual(["judge_correctness"]);
  expect(await marked({ weights: { token_f1: 1, judge_correctness: 2 } })).toEqual(["overall", "judge_correctness"]);
  expect(await marked({ judge: { ...judgeAt, scope: "conversation" } })).toEqual(["conversation_quality"]);
  const test_batch = [{ ...numberedScenario("s", 1), id: "rubric" }];
  const checks = [{ type: "group", name: "tone", checks: [{ type: "rubric", text: "Is it kind?" }] }];
  const interactions = test_batch[0]!.interactions.map((turn) => ({ ...turn, checks }));
  const grouped = await marked({ test_batch: [{ ...test_batch[0]!, interactions }], weights: { tone: 1 } });
  expect(grouped).toEqual(expect.arrayContaining(["overall", "tone", "tone.rubric"]));

  const runs = [await ask({}), await ask({})];
  const [baseline = "", candidate = ""] = runs.map(({ run_id }) => run_id);
  const { scores, not_worse, sentence } = await bench.runs.compare(baseline, candidate, null, { overall: 0.05 });
  expect(sentence).toContain("overall (judge not audited)");
  expect(not_worse?.sentence).toContain("overall (judge not audited)");
  const marks = Object.fromEntries(scores.map(({ name, judge_audited }) => [name, judge_audited]));
  expect(marks).toMatchObject({ overall: false, judge_correctness: false, token_f1: undefined });
  const ranking = await bench.runs.rank({ ids: [baseline, candidate] }, null);
  expect(ranking.sentence).toContain("overall (judge not audited)");
});

test("marks an audited judge", async () => {
  await using bench = await startBench({
    models: { model: right(), judge: saying("partial") },
    audits: { hasPassed: async () => true, record: async () => {} },
  });
  const response = await bench.evaluate({ test_batch: numberedScenario("s", 1), judge: judgeAt });
  expect(response.summary.judge_audited).toBe(true);
  expect(response.summary).not.toHaveProperty("unaudited_scores");
});

test("marks audited rubrics independently of each other", async () => {
  const passed = new Set<string>();
  const audits = {
    hasPassed: async (fingerprint: string) => passed.has(fingerprint),
    record: async ({ fingerprint }: { fingerprint: string }) => void passed.add(fingerprint),
  };
  await using bench = await startBench({ models: { model: right(), judge: saying("pass") }, audits });
  const rubrics = ["kind", "short"].map((name) => ({ name, text: `Is it ${name}?`, weight: 1 }));
  const evaluate = async () => {
    const response = await bench.evaluate({ test_batch: numberedScenario("s", 1), judge: { ...judgeAt, rubrics } });
    const judgements = response.results.scenarios[0]?.attempts[0]?.interactions[0]?.judgements ?? {};
    const marks = Object.entries(judgements).map(([name, { judge_audited }]) => [name, judge_audited]);
    return { ...Object.fromEntries(marks), run: response.summary.judge_audited };
  };
  const audit = (alone: typeof rubrics) =>
    bench.runs.auditJudge(
      {
        judge: { ...judgeAt, rubrics: alone },
        items: [{ user_message: "Hi", reply: "Hello", human: "pass" }],
        repeats: 1,
      },
      { owner: null, signal: new AbortController().signal },
    );
  await audit(rubrics.slice(0, 1));
  expect(await evaluate()).toEqual({ "judge.kind": true, "judge.short": false, run: false });
  await audit(rubrics.slice(1));
  expect(await evaluate()).toEqual({ "judge.kind": true, "judge.short": true, run: true });
});

test("leaves a turn and its overall unscored when the judge's answer cannot be parsed", async () => {
  await using bench = await startBench({ models: { model: right(), judge: fakeModel(() => "PASS") } });
  const response = await bench.evaluate({ test_batch: numberedScenario("s", 1), judge: judgeAt });
  const [turn] = response.results.scenarios[0]?.attempts[0]?.interactions ?? [];
  expect(turn?.scores["judge_correctness"]).toBeUndefined();
  expect(turn?.scores["overall"]).toBeUndefined();
  expect(turn?.score_reasons["judge_correctness"]).toContain("unscored: the judge's answer is not JSON");
});

test("weights rubrics, each with its own score", async () => {
  const judge = fakeModel(({ messages }) => {
    const polite = messages[0]?.content.includes("Is it polite?");
    return JSON.stringify({ reason: "r", verdict: polite ? "pass" : "fail" });
  });
  await using bench = await startBench({ models: { model: right(), judge } });
  const rubrics = [
    { name: "polite", text: "Is it polite?", weight: 3 },
    { name: "short", text: "Is it short?" },
  ];
  const response = await bench.evaluate({ test_batch: numberedScenario("s", 1), judge: { ...judgeAt, rubrics } });
  const [turn] = response.results.scenarios[0]?.attempts[0]?.interactions ?? [];
  expect(turn?.scores).toMatchObject({ "judge.polite": 1, "judge.short": 0, judge_rubrics: 0.75, overall: 0.75 });
});

test("judges a whole conversation once per attempt and adds its score to the averages", async () => {
  const judge = saying("partial");
  await using bench = await startBench({ models: { model: right(), judge } });
  const response = await bench.evaluate({
    test_batch: numberedScenario("s", 3),
    attempts: 2,
    judge: { ...judgeAt, scope: "conversation" },
  });
  expect(judge.requests).toHaveLength(2);
  expect(judge.requests[0]?.messages[1]?.content).toContain('"assistant": "a3"');
  const [scenario] = response.results.scenarios;
  expect(scenario?.attempts[0]?.average_scores["conversation_quality"]).toBe(0.5);
  expect(scenario?.attempts[0]?.conversation?.judgements["conversation_quality"]?.verdict).toBe("partial");
  expect(scenario?.average_scores["conversation_quality"]).toBe(0.5);
  expect(response.summary.average_scores["conversation_quality"]).toBe(0.5);
  expect(response.summary).toMatchObject({ judge_audited: false, helper_usage: { calls: 2 } });
});

test("prefers a labeller model to the local one, limits it to the batch's labels and records the source", async () => {
  const labeller = fakeModel(() => JSON.stringify({ intent: "refund", urgent: true }));
  await using bench = await startBench({ models: { model: right(), labeller } });
  const response = await bench.evaluate({
    test_batch: [
      numberedScenario("x", 1, { reference_metadata: { intent: "refund", urgent: true } }),
      numberedScenario("y", 1, { reference_metadata: { intent: "greeting", urgent: false } }),
    ],
    labeller: { endpoint: "http://labeller", model_id: "labeller" },
  });
  const [turn] = response.results.scenarios[0]?.attempts[0]?.interactions ?? [];
  expect(turn?.generated_metadata).toEqual({ intent: "refund", urgent: true });
  expect(turn?.label_sources["intent"]).toEqual({ source: "labeller", method: "labeller" });
  expect(labeller.requests[0]?.format?.schema).toMatchObject({
    properties: { intent: { enum: ["refund", "greeting", "unknown"] }, urgent: { type: "boolean" } },
  });
  expect(response.summary.label_metrics["intent"]).toMatchObject({ n: 2, accuracy: 0.5 });
});

test("asks a judge without structured output once its endpoint refuses it", async () => {
  const refused: ReplyError = {
    code: "upstream_rejected",
    detail: "",
    upstream_status: 400,
    tries: 1,
    retryable: false,
    refuses_format: true,
  };
  const plain = saying("partial");
  const forms: boolean[] = [];
  const judge: ChatModel = async (request, options) => {
    forms.push(request.format !== undefined);
    return request.format ? { ok: false, error: refused, latency_ms: 1 } : plain(request, options);
  };
  await using bench = await startBench({ models: { model: right(), judge } });
  const response = await bench.evaluate({ test_batch: numberedScenario("s", 2), judge: judgeAt });
  expect(response.summary.average_scores["judge_correctness"]).toBe(0.5);
  expect(forms).toEqual([true, false, false]);
});

test("accepts a fenced answer of a labeller", async () => {
  const labeller = fakeModel(() => '```json\n{"urgent": true}\n```');
  await using bench = await startBench({ models: { model: right(), labeller } });
  const response = await bench.evaluate({
    test_batch: numberedScenario("x", 1, { reference_metadata: { urgent: true } }),
    labeller: { endpoint: "http://labeller", model_id: "labeller" },
  });
  const [turn] = response.results.scenarios[0]?.attempts[0]?.interactions ?? [];
  expect(turn?.generated_metadata).toEqual({ urgent: true });
});

test("falls back to the local labeller when the model fails or invents a label", async () => {
  const labeller = fakeModel(() => JSON.stringify({ intent: "made up" }));
  await using bench = await startBench({ models: { model: right(), labeller } });
  const response = await bench.evaluate({
    test_batch: numberedScenario("x", 1, { reference_metadata: { intent: "refund" } }),
    labeller: { endpoint: "http://labeller", model_id: "labeller" },
  });
  const [turn] = response.results.scenarios[0]?.attempts[0]?.interactions ?? [];
  expect(turn?.label_sources["intent"]).toMatchObject({ source: "local", method: "same text as a labelled reference" });
  expect(turn?.score_reasons["metadata.intent"]).toBe("is refund; the labeller gave no label that could be used");
});

test("explains a label that is missing because the labeller failed", async () => {
  const error: ReplyError = {
    code: "upstream_auth",
    detail: "HTTP 401: set LABELLER_API_KEY.",
    upstream_status: 401,
    tries: 1,
    retryable: false,
  };
  const labeller: ChatModel = async () => ({ ok: false, error, latency_ms: 1 });
  await using bench = await startBench({ models: { model: right(), labeller } });
  const response = await bench.evaluate({
    test_batch: numberedScenario("x", 1, { reference_metadata: { urgent: true, topics: ["a"] } }),
    labeller: { endpoint: "http://labeller", model_id: "labeller" },
  });
  const [turn] = response.results.scenarios[0]?.attempts[0]?.interactions ?? [];
  expect(turn?.score_reasons["metadata.urgent"]).toContain("could not be asked: upstream_auth: HTTP 401: set");
  expect(turn?.score_reasons["metadata.topics"]).not.toContain("labeller");
});

const embedder: Embedder = {
  id: "test-embedder",
  embed: (texts) =>
    Promise.resolve({ ok: true, vectors: texts.map((text) => [text.length, text.includes("a") ? 1 : 0, 1]) }),
};

test("adds semantic similarity with an embedder, and keeps the raw cosine", async () => {
  await using bench = await startBench({ models: { model: right() }, embedderFor: async () => embedder });
  const response = await bench.evaluate({ test_batch: numberedScenario("s", 1) });
  const [turn] = response.results.scenarios[0]?.attempts[0]?.interactions ?? [];
  expect(turn?.scores["semantic_similarity"]).toBeCloseTo(1, 12);
  expect(turn?.semantic).toMatchObject({ baseline: 0, embedder: "test-embedder" });
});

test("runs a custom scorer by name; a failing one gives no value and breaks nothing else", async () => {
  await using bench = await startBench({
    models: { model: right() },
    customScorers: {
      polite: ({ reply }) => ({ value: reply.includes("please") ? 1 : 0, reason: "looked for please" }),
      broken: () => {
        throw new Error("no");
      },
      absurd: () => 7,
    },
    helpers: { customScorers: ["polite", "broken", "absurd"] },
  });
  const response = await bench.evaluate({
    test_batch: numberedScenario("s", 1),
    scorers: ["polite", "broken", "absurd"],
  });
  const [turn] = response.results.scenarios[0]?.attempts[0]?.interactions ?? [];
  expect(turn?.scores).toEqual({ success: 1, polite: 0 });
  expect(turn?.score_reasons).toMatchObject({
    broken: "the scorer failed: no",
    polite: "looked for please",
    overall: "broken could not be had",
  });
});

function refusal(request: Record<string, unknown>) {
  const test_batch = numberedScenario("s", 1);
  const parsed = EvaluationRequest.parse({ endpoint: "http://x", model_id: "model", test_batch, ...request });
  try {
    planRun(parsed, planLimits);
  } catch (error) {
    if (error instanceof ServiceError)
      return { code: error.code, detail: error.message, pointers: error.errors?.map(({ pointer }) => pointer) };
  }
  throw new Error("not refused");
}

test.each([
  [{ scorers: ["tokn_f1"] }, "validation_failed", "/scorers/0"],
  [{ scorers: ["token_f1", "token_f1"] }, "validation_failed", "/scorers/1"],
  [{ scorers: [{ type: "regex", pattern: "(?=x)" }] }, "pattern_unsupported", "/scorers/0/pattern"],
  [{ scorers: [{ type: "regex", pattern: "(a)\\1" }] }, "pattern_unsupported", "/scorers/0/pattern"],
  [{ scorers: [{ type: "regex", pattern: "(" }] }, "pattern_unsupported", "/scorers/0/pattern"],
  [{ scorers: [{ type: "length", min: 5, max: 2 }] }, "validation_failed", "/scorers/0/max"],
  [{ scorers: [{ type: "length" }] }, "validation_failed", "/scorers/0/max"],
  [{ scorers: [{ type: "contains", text: " " }] }, "validation_failed", "/scorers/0/text"],
  [{ scorers: [{ type: "length", name: "overall", max: 2 }] }, "validation_failed", "/scorers/0/name"],
  [{ judge: {} }, "validation_failed", "/judge/endpoint"],
  [{ judge: { endpoint: "http://x" } }, "validation_failed", "/judge/model_id"],
  [
    { judge: { endpoint: "http://x", model_id: "j", rubrics: [{ name: "a", text: "kind?", weight: 0 }] } },
    "validation_failed",
    "/judge/rubrics",
  ],
  [{ labeller: {} }, "validation_failed", "/labeller/endpoint"],
  [{ weights: { nonsense: 1 } }, "validation_failed", "/weights/nonsense"],
  [{ weights: { token_f1: 0 } }, "validation_failed", "/weights"],
  [{ weights: { edit_similarity: 1 } }, "validation_failed", "/weights/edit_similarity"],
  [{ weights: { token_f1: 1 }, scorers: ["chrf"] }, "validation_failed", "/weights/token_f1"],
  [{ weights: { "metadata.intent": 1 }, scorers: ["chrf"] }, "validation_failed", "/weights/metadata.intent"],
  [{ attempts: 1_000 }, "validation_failed", "/attempts"],
])("refuses %j with %s at %s", (request, code, pointer) => {
  expect(refusal(request)).toMatchObject({ code, pointers: [pointer] });
});

test.each([
  [{ type: "json_schema", schema: { type: "nonsense" } }, "validation_failed", "/scorers/1/schema"],
  [{ type: "json_schema", schema: { $ref: "http://elsewhere/x" } }, "validation_failed", "/scorers/1/schema"],
  [{ type: "regex", pattern: `${"a".repeat(500)}(?=x)` }, "pattern_unsupported", "/scorers/1/pattern"],
])("refuses the slow check %j with %s at %s", async (scorer, code, pointer) => {
  await using bench = await startBench({ models: { model: right() } });
  const request = { test_batch: numberedScenario("s", 1), scorers: ["token_f1", scorer] };
  await expect(bench.create(request)).rejects.toMatchObject({ code, errors: [{ pointer }] });
  expect((await bench.store.runs.list({ limit: 1 })).runs).toEqual([]);
});

test("lists the known scores for an unknown weight", () => {
  expect(refusal({ weights: { tokn: 1 }, scorers: ["token_f1", "metadata_match"] }).detail).toBe(
    "/weights/tokn is not a score of this run. Its scores: success, token_f1, metadata_match, metadata.<key>",
  );
  expect(refusal({ weights: { tokn: 1 }, scorers: ["chrf"] }).detail).toMatch(/Its scores: success, chrf$/);
  const scorers = Array.from({ length: 40 }, (_, index) => ({ type: "contains", text: "x", name: `check_${index}` }));
  expect(refusal({ weights: { tokn: 1 }, scorers }).detail).toMatch(/, check_\d+ and \d+ more$/);
});

test.each([
  ["no judge", {}],
  ["no more than where it is", { endpoint: judgeAt.endpoint }],
])("uses the operator's judge for requests that name %s", async (_told, judge) => {
  await using bench = await startBench({
    models: { model: right(), judge: saying("equivalent") },
    helpers: { judge: judgeAt },
  });
  const response = await bench.evaluate({ test_batch: numberedScenario("s", 1), judge });
  expect(response.summary.average_scores["judge_correctness"]).toBe(1);
});

test("counts calls of judge and labeller for the owner of the run", async () => {
  const asked: CallRequest[] = [];
  const limits: Limits = {
    async acquire(call) {
      asked.push(call);
      return { refused: () => {}, release: () => {} };
    },
    stopWaiting: () => {},
    close: async () => {},
  };
  const labeller = fakeModel(() => JSON.stringify({ intent: "refund" }));
  await using bench = await startBench({ models: { model: right(), judge: saying("partial"), labeller }, limits });
  const request = EvaluationRequest.parse({
    endpoint: "http://test",
    model_id: "model",
    test_batch: numberedScenario("s", 1, { reference_metadata: { intent: "refund" } }),
    judge: judgeAt,
    labeller: { endpoint: "http://labeller", model_id: "labeller" },
  });
  const created = await bench.runs.create(planRun(request, planLimits), { warnings: [], owner: "alice" });
  await bench.runs.wait(created.outcome === "created" ? created.run.id : "", AbortSignal.timeout(20_000));
  const owners = asked.map(({ endpoint, owner }) => [endpoint, owner]);
  expect(Object.fromEntries(owners)).toEqual({
    "http://test": "alice",
    "http://judge": "alice",
    "http://labeller": "alice",
  });
});
