import { randomUUIDv7 } from "node:crypto";
import { expect, test, vi } from "vitest";
import type { ChatModel } from "../../contract/ports/chat-model.ts";
import { sampleReply } from "../../contract/testing/sample-reply.ts";
import { createRuns } from "../create-runs.ts";
import { fakeModel, lastUserMessage } from "../../../test/support/fake-model.ts";
import { numberedScenario, startBench } from "../../../test/support/run-bench.ts";

const right = () => fakeModel((request) => lastUserMessage(request).replace("q", "a"));
const scenarios = (count: number, turns = 2) =>
  Array.from({ length: count }, (_, index) => numberedScenario(`s${index}`, turns));

test("never exceeds a budget of calls, keeps the results and reports the reason", async () => {
  const model = right();
  await using bench = await startBench({ models: { model } });
  const response = await bench.evaluate({ test_batch: scenarios(6), attempts: 3, budget: { calls: 7 } });
  expect(model.requests).toHaveLength(7);
  expect(response.state).toBe("completed");
  expect(response.summary).toMatchObject({ stopped_by: "budget", interactions: 7, failed: 0 });
  expect(response.message).toEqual(expect.stringMatching(/^Evaluation stopped by budget, 7 of \d+ turns$/));
});

test.each([
  { what: "turns", calls: 7, finished: 3, settings: {} },
  {
    what: "turns and verdicts",
    calls: 9,
    finished: 2,
    settings: { judge: { endpoint: "http://j", model_id: "judge" } },
  },
  { what: "turns, as far as tokens bear them", calls: 7, finished: 3, settings: {}, tokens: true },
])("spends a small budget on whole attempts: $what", async ({ calls, finished, settings, tokens }) => {
  const judge = fakeModel(() => JSON.stringify({ reason: "same", verdict: "equivalent" }));
  await using bench = await startBench({ models: { model: right(), judge } });
  const budget = tokens ? { tokens: calls * sampleReply("").usage!.total_tokens } : { calls };
  const { results, summary } = await bench.evaluate({ test_batch: scenarios(1), attempts: 10, budget, ...settings });
  expect(summary.interactions + (summary.helper_usage?.calls ?? 0)).toBe(calls);
  const whole = results.scenarios[0]?.attempts.filter(({ unfinished }) => !unfinished);
  expect(whole).toHaveLength(finished);
});

test("fails a gate while scenarios are missing, and names them", async () => {
  await using bench = await startBench({ models: { model: right() } });
  const gate = { scores: { overall: 0.8 } };
  const stopped = await bench.evaluate({
    test_batch: scenarios(4),
    budget: { calls: 5 },
    concurrency: 1,
    gate,
    threshold: 0.8,
  });
  expect(stopped.summary.gate?.passed).toBe(false);
  const missed = stopped.summary.gate?.checks.filter(({ passed }) => !passed);
  expect(missed).toEqual(
    ["s2", "s3"].map((scenario_id) => ({
      name: "finished_attempts",
      scenario_id,
      required: 1,
      actual: 0,
      passed: false,
    })),
  );
  const attempts = stopped.results.scenarios.flatMap((scenario) => scenario.attempts);
  expect(attempts.map(({ unfinished }) => unfinished)).toEqual([undefined, undefined, true]);
  expect(stopped.results.scenarios.map(({ reliability }) => reliability?.attempts)).toEqual([
    1,
    1,
    undefined,
    undefined,
  ]);
  const done = await bench.evaluate({ test_batch: scenarios(4), budget: { calls: 8 }, concurrency: 1, gate });
  expect(done.summary.gate).toMatchObject({ passed: true, checks: [{ name: "overall" }, { name: "failure_rate" }] });
});

test("marks an attempt as unfinished when a budget cut its own conversation, whatever the reference pass has", async () => {
  await using bench = await startBench({ models: { model: right() } });
  const request = { test_batch: scenarios(1), history: "both", budget: { calls: 3 }, concurrency: 2 } as const;
  const { run_id, results } = await bench.evaluate(request);
  const [scenario] = results.scenarios;
  expect(scenario?.reference_attempts?.[0]?.interactions).toHaveLength(2);
  expect(scenario?.attempts).toMatchObject([{ interactions: [{}], unfinished: true }]);
  const page = await bench.runs.scenarios(await bench.runs.get(run_id, null), { limit: 10, offset: 0 });
  expect(page.scenarios).toMatchObject([{ status: "waiting", attempts: [{ outcome: "unfinished" }] }]);
});

test("counts an attempt cut by a budget as neither passed nor failed", async () => {
  await using bench = await startBench({ models: { model: right() } });
  const { run_id } = await bench.evaluate({
    test_batch: scenarios(3),
    budget: { calls: 3 },
    concurrency: 1,
    threshold: 0.8,
  });
  const page = await bench.runs.scenarios(await bench.runs.get(run_id, null), { limit: 10, offset: 0 });
  expect(page.scenarios.map(({ status, attempts }) => [status, ...attempts.map(({ outcome }) => outcome)])).toEqual([
    ["waiting"],
    ["waiting", "unfinished"],
    ["passing", "passed"],
  ]);
  expect(page.counts).toMatchObject({ waiting: 2, passing: 1 });
});

test("reports no stop for a run that ends within its budget", async () => {
  await using bench = await startBench({ models: { model: right() } });
  const response = await bench.evaluate({ test_batch: scenarios(2), budget: { calls: 4, tokens: 1_000 } });
  expect(response.summary.interactions).toBe(4);
  expect(response.summary.stopped_by).toBeUndefined();
  expect(response.message).toBe("Evaluation completed: 4 interactions");
});

test("enforces a budget of tokens or money, with calls in flight counted at the mean so far", async () => {
  await using bench = await startBench({
    models: { model: right() },
    priceOf:
      () =>
      ({ usage }) =>
        usage.total_tokens * 0.001,
  });
  const tokens = await bench.evaluate({ test_batch: scenarios(20), budget: { tokens: 150 }, concurrency: 1 });
  expect(tokens.usage.total_tokens).toBe(150);
  expect(tokens.summary.stopped_by).toBe("budget");
  const money = await bench.evaluate({ test_batch: scenarios(20), budget: { money: 0.15 }, concurrency: 1 });
  expect(money.summary.cost).toEqual({ total: expect.closeTo(0.15, 9) as number, unpriced: 0 });
  expect(money.summary.stopped_by).toBe("budget");
});

test("estimates tokens from texts when an endpoint reports none, so that the budget still applies", async () => {
  const model: ChatModel = async () => sampleReply("four letters each", { usage: null });
  const priceOf =
    () =>
    ({ usage }: { usage: { total_tokens: number } }) =>
      usage.total_tokens * 0.001;
  const verdict = JSON.stringify({ reason: "same", verdict: "equivalent" });
  const judge: ChatModel = async () => sampleReply(verdict, { usage: null });
  await using bench = await startBench({ models: { model, judge, telling: right() }, priceOf });
  const evaluate = async (budget: object) => {
    const { summary, usage } = await bench.evaluate({ test_batch: scenarios(20), budget, concurrency: 1 });
    expect(usage).toMatchObject({ total_tokens: 0 });
    return summary;
  };
  // The first turn sends 1 token and 4 around it, and gets 5; the second sends the first and its reference too.
  expect(await evaluate({ tokens: 50 })).toMatchObject({ stopped_by: "budget", interactions: 4 });
  expect(await evaluate({ money: 0.05 })).toMatchObject({ stopped_by: "budget", interactions: 4 });
  // A question to a judge is longer than all that is left of this one.
  const judged = await bench.evaluate({
    test_batch: scenarios(20),
    model_id: "telling",
    judge: { endpoint: "http://judge", model_id: "judge" },
    budget: { tokens: 100 },
    concurrency: 1,
  });
  expect(judged.summary).toMatchObject({ stopped_by: "budget", interactions: 1, helper_usage: { calls: 1 } });
});

test("limits the first calls to what fits while the cost of a call is unknown, across workers", async () => {
  const judge = fakeModel(() => JSON.stringify({ reason: "same", verdict: "equivalent" }));
  const priceOf =
    () =>
    ({ usage }: { usage: { total_tokens: number } }) =>
      usage.total_tokens * 0.001;
  await using bench = await startBench({ models: { model: right(), judge }, priceOf });
  const each = sampleReply("").usage!.total_tokens;
  const tokens = await bench.evaluate({ test_batch: scenarios(20), budget: { tokens: 4 * each } });
  expect(tokens.summary).toMatchObject({ stopped_by: "budget", interactions: 4 });
  const money = await bench.evaluate({ test_batch: scenarios(20), budget: { money: 4 * each * 0.001 } });
  expect(money.summary).toMatchObject({ stopped_by: "budget", interactions: 4 });
  // All turns of an attempt may be asked at once here.
  const lanes = { test_batch: numberedScenario("s", 20), history: "reference", budget: { tokens: 4 * each } };
  expect((await bench.evaluate(lanes)).summary).toMatchObject({ stopped_by: "budget", interactions: 4 });
  const judged = await bench.evaluate({
    test_batch: scenarios(20),
    budget: { tokens: 6 * each },
    judge: { endpoint: "http://judge", model_id: "judge" },
  });
  const { helper_usage, interactions } = judged.summary;
  expect((helper_usage?.calls ?? 0) + interactions).toBe(6);
});

test("starts first calls concurrently when the budget is large enough", async () => {
  const together = Promise.withResolvers<void>();
  let calls = 0;
  const model: ChatModel = async () => {
    calls += 1;
    if (calls === 8) together.resolve();
    await together.promise;
    return sampleReply("a");
  };
  await using bench = await startBench({ models: { model } });
  const response = await bench.evaluate({ test_batch: scenarios(8, 1), budget: { tokens: 10_000 } });
  expect(response.summary).toMatchObject({ interactions: 8 });
});

test("reports a stop when the budget prevented a turn, even if calls in flight took less than expected", async () => {
  const asked = Promise.withResolvers<void>();
  const small = Promise.withResolvers<void>();
  const model: ChatModel = async (request) => {
    const question = lastUserMessage(request);
    if (question === "small 1") asked.resolve();
    await (question === "small 1" ? small : asked).promise;
    const total_tokens = question === "large 1" ? 400 : 10;
    return sampleReply("a", { usage: { ...sampleReply("").usage!, total_tokens } });
  };
  await using bench = await startBench({ models: { model } });
  const test_batch = ["large", "small"].map((id) => ({
    id,
    interactions: [1, 2].map((turn) => ({ id: `t${turn}`, user_message: `${id} ${turn}` })),
  }));
  const parameters = { max_tokens: 100 };
  const { id } = await bench.create({ test_batch, parameters, budget: { tokens: 600 }, concurrency: 2 });
  // With a call in flight that is expected to take 400 tokens more, the large attempt may not go on.
  await vi.waitFor(async () => expect((await bench.store.runs.get(id))?.progress.attempts_done).toBe(1), 60_000);
  small.resolve();
  const response = await bench.results(await bench.runs.wait(id, AbortSignal.timeout(20_000)));
  expect(response.usage.total_tokens).toBe(420);
  expect(response.summary).toMatchObject({ interactions: 3, stopped_by: "budget" });
});

test("warns about a budget of money without a known price", async () => {
  const priced = { models: { model: right() }, priceOf: () => () => 0.001 };
  const unpriced = { models: { model: right() }, priceOf: () => () => null };
  const request = { test_batch: scenarios(1), budget: { money: 1 } };
  await using known = await startBench(priced);
  expect((await known.evaluate(request)).warnings).toEqual([]);
  await using unknown = await startBench(unpriced);
  expect((await unknown.evaluate(request)).warnings).toMatchObject([{ pointer: "/budget/money" }]);
  expect((await unknown.evaluate({ ...request, budget: { calls: 9 } })).warnings).toEqual([]);
});

test("starts no call after the seconds of the budget", async () => {
  let time = 1_000_000;
  const model = fakeModel(() => {
    time += 400;
    return "a";
  });
  await using bench = await startBench({ models: { model }, now: () => time });
  const response = await bench.evaluate({ test_batch: numberedScenario("s", 10), budget: { seconds: 1 } });
  expect(model.requests).toHaveLength(3);
  expect(response.summary.stopped_by).toBe("budget");
});

test("counts a judge's calls in the same budget", async () => {
  const judge = fakeModel(() => JSON.stringify({ reason: "same", verdict: "equivalent" }));
  const model = right();
  await using bench = await startBench({ models: { model, judge } });
  const response = await bench.evaluate({
    test_batch: numberedScenario("s", 10),
    budget: { calls: 6 },
    judge: { endpoint: "http://judge", model_id: "judge" },
  });
  expect(model.requests.length + judge.requests.length).toBe(6);
  expect(response.summary.stopped_by).toBe("budget");
});

test("counts no call for a judge that the budget prevented", async () => {
  const judge = fakeModel(() => JSON.stringify({ reason: "same", verdict: "equivalent" }));
  await using bench = await startBench({ models: { model: right(), judge } });
  const response = await bench.evaluate({
    test_batch: numberedScenario("s", 10),
    budget: { calls: 5 },
    judge: { endpoint: "http://judge", model_id: "judge" },
  });
  expect(response.summary.interactions).toBe(3);
  expect(judge.requests).toHaveLength(2);
  expect(response.summary.helper_usage?.calls).toBe(2);
});

test.each([
  ["turns", { test_batch: numberedScenario("s", 2), budget: { calls: 3 } }, { calls: 1, refused: 1 }],
  ["the first and only turn", { test_batch: numberedScenario("s", 1), budget: { calls: 1 } }, { calls: 0, refused: 1 }],
  ["the conversation", { test_batch: numberedScenario("s", 2), budget: { calls: 2 } }, { calls: 0, refused: 1 }],
])("reports a stop when the budget prevented only the judge of %s", async (what, request, helped) => {
  const judge = fakeModel(() => JSON.stringify({ reason: "same", verdict: "equivalent" }));
  await using bench = await startBench({ models: { model: right(), judge } });
  const scope = what === "the conversation" ? { scope: "conversation" } : {};
  const response = await bench.evaluate({
    ...request,
    judge: { endpoint: "http://judge", model_id: "judge", ...scope },
  });
  const interactions = request.test_batch.interactions.length;
  expect(response.summary).toMatchObject({ interactions, stopped_by: "budget", helper_usage: helped });
  expect(response.message).toContain("stopped by budget");
  const again = await bench.runs.rescore(response.run_id, null);
  expect(again.summary).toMatchObject({ stopped_by: "budget", helper_usage: helped });
});

test("applies a gate to the run, to every scenario and to failures; missing scores fail it", async () => {
  const model = fakeModel((request) => (lastUserMessage(request) === "q1" ? "a1" : "wrong"));
  await using bench = await startBench({ models: { model } });
  const batch = [numberedScenario("good", 1), { ...numberedScenario("bad", 2), id: "bad" }];
  const { summary } = await bench.evaluate({
    test_batch: batch,
    threshold: 0.8,
    gate: { scores: { overall: 0.7, judge_correctness: 0.5 }, scenario_scores: { overall: 0.8 }, min_pass_rate: 0.5 },
  });
  expect(summary.gate?.passed).toBe(false);
  expect(summary.gate?.checks.map(({ name, scenario_id, passed }) => [name, scenario_id, passed])).toEqual([
    ["overall", undefined, true],
    ["judge_correctness", undefined, false],
    ["pass_rate", undefined, true],
    ["failure_rate", undefined, true],
    ["overall", "bad", false],
    ["overall", "good", true],
  ]);
});

test("breaks scores down by type, turn and tag, for the run and for each scenario", async () => {
  const model = fakeModel((request) => (lastUserMessage(request) === "q1" ? "a1" : "wrong"));
  await using bench = await startBench({ models: { model } });
  const { summary, results } = await bench.evaluate({
    test_batch: [
      { ...numberedScenario("x", 2), tags: ["refund", "vip"] },
      { ...numberedScenario("y", 1), tags: ["vip"] },
    ],
  });
  expect(summary.breakdown?.interaction_type["opening"]).toMatchObject({ n: 2, average_scores: { overall: 1 } });
  expect(summary.breakdown?.interaction_type["follow_up"]).toMatchObject({ n: 1, average_scores: { overall: 0 } });
  expect(summary.breakdown?.turn_index.map(({ n }) => n)).toEqual([2, 1]);
  expect(summary.breakdown?.tag["vip"]?.n).toBe(3);
  expect(results.scenarios[0]?.breakdown?.tag["refund"]?.average_scores["overall"]).toBe(0.5);
});

test("shares a budget between two workers on one store", async () => {
  const model = right();
  await using bench = await startBench({ models: { model } });
  const second = createRuns({
    store: bench.store,
    queue: bench.queue,
    createModel: () => model,
    isDemo: () => false,
    workerId: `test:${process.pid}:2`,
    newId: randomUUIDv7,
    concurrency: { global: 2, perRun: 2 },
    heartbeatMs: 5_000,
    onError: (error) => {
      throw error;
    },
  });
  await second.start();
  const response = await bench.evaluate({ test_batch: scenarios(40, 1), attempts: 3, budget: { calls: 40 } });
  await second.stop({ graceMs: 1_000 });
  // Calls in flight in the other process are unknown, so the overshoot is at most those.
  expect(model.requests.length).toBeGreaterThanOrEqual(40);
  expect(model.requests.length).toBeLessThan(70);
  expect(response.summary).toMatchObject({ stopped_by: "budget", interactions: model.requests.length });
});

test("completes a run whose replies all fail, with nulls and reasons", async () => {
  const failure = { code: "upstream_error", detail: "", upstream_status: 500, tries: 1, retryable: true } as const;
  await using bench = await startBench({
    models: { model: () => Promise.resolve({ ok: false, error: failure, latency_ms: 1 }) },
  });
  const response = await bench.evaluate({
    test_batch: numberedScenario("s", 2, { reference_metadata: { intent: "x" } }),
    attempts: 2,
    history: "both",
    replay_first_bad_turn: true,
    gate: { scores: { overall: 0.5 } },
  });
  expect(response.summary.average_scores).toEqual({ success: 0 });
  expect(response.summary.drift?.scores["success"]).toMatchObject({ gap: 0 });
  expect(response.summary.drift?.sentence).toBe("There is no overall score in both modes to compare.");
  expect(response.summary.gate?.passed).toBe(false);
  expect(response.results.scenarios[0]).toMatchObject({ reliability: { attempts: 2, passed: 0 } });
  expect(response.results.scenarios[0]?.attempts[0]?.first_bad_turn).toEqual({
    turn_index: 0,
    id: "t1",
    overall: null,
  });
  expect(JSON.stringify(response)).not.toContain("NaN");
});

test.each([
  { calls: 3, turns: 3, finished: false },
  { calls: 1, turns: 1, finished: true },
])(
  "with two passes over $turns turns $calls calls are too few, and a whole first pass is an attempt",
  async (given) => {
    await using bench = await startBench({ models: { model: fakeModel(() => "a1") } });
    const { summary } = await bench.evaluate({
      test_batch: numberedScenario("s", given.turns),
      history: "both",
      concurrency: 1,
      budget: { calls: given.calls },
      gate: { scores: { success: 0.5 } },
    });
    expect(summary.stopped_by).toBe("budget");
    expect(summary.gate?.passed).toBe(given.finished);
  },
);
