import { randomUUIDv7 } from "node:crypto";
import { expect, test, vi } from "vitest";
import { PairwiseComparison, RunComparison } from "../../contract/schemas/comparison.ts";
import type { Limits } from "../../contract/ports/limits.ts";
import type { ChatModel } from "../../contract/ports/chat-model.ts";
import { ServiceError } from "../../contract/errors/errors.ts";
import type { Store } from "../../contract/ports/store.ts";
import type { CreateRunScoring } from "../execute/run-context.ts";
import { compareStoredRuns } from "../compare/compare-stored-runs.ts";
import { createRuns } from "../create-runs.ts";
import { createRunScoring } from "../execute/run-scoring.ts";
import { estimatePlan } from "../plan/estimate-plan.ts";
import { measureNoise } from "../compare/measure-noise.ts";
import { planRun } from "../plan/plan-run.ts";
import { rescoreRun } from "../rescore/rescore-run.ts";
import { createStoreOutageMonitor } from "../stored/store-outage.ts";
import { fakeModel, lastUserMessage } from "../../../test/support/fake-model.ts";
import { numberedScenario, planLimits, startBench } from "../../../test/support/run-bench.ts";
import { toRepeatRequest } from "../plan/to-request.ts";
import { EvaluationRequest } from "../../contract/schemas/evaluation-request.ts";
import { openSqlite } from "../../storage/drivers/open-sqlite.ts";

const right = () => fakeModel((request) => lastUserMessage(request).replace("q", "a"));
const half = () =>
  fakeModel((request) => (lastUserMessage(request) === "q2" ? "wrong" : lastUserMessage(request).replace("q", "a")));
const batch = Array.from({ length: 12 }, (_, index) => numberedScenario(`s${index}`, 2));

test("compares two stored runs, with a verdict and changed interactions, regressions first", async () => {
  await using bench = await startBench({ models: { good: right(), bad: half() } });
  const good = await bench.evaluate({ test_batch: batch, model_id: "good" });
  const bad = await bench.evaluate({ test_batch: batch, model_id: "bad" });
  const comparison = RunComparison.parse(await compareStoredRuns(bench.store, good.run_id, bad.run_id));
  expect(comparison).toMatchObject({ comparable: true, verdict: "less_close", regressions: 12, improvements: 0 });
  expect(comparison.changed[0]).toMatchObject({
    interaction_id: "t2",
    user_message: "q2",
    score: "overall",
    difference: -1,
  });
  const back = await compareStoredRuns(bench.store, bad.run_id, good.run_id);
  expect(back).toMatchObject({ verdict: "closer", improvements: 12 });
  const same = await compareStoredRuns(bench.store, good.run_id, good.run_id);
  expect(same).toMatchObject({ verdict: "same", changed: [] });
});

test("finishes and reads a run of an earlier version with adaptive attempts", async () => {
  const adaptive = { min: 3, max: 6, ci_width: 0.1 };
  const models = { model: right() };
  await using bench = await startBench({ models });
  const fixed = await bench.evaluate({ test_batch: batch.slice(0, 2), attempts: 6 });
  await bench.runs.stop({ graceMs: 1_000 });
  const request = EvaluationRequest.parse({
    test_batch: batch.slice(0, 2),
    endpoint: "http://test",
    model_id: "model",
    attempts: adaptive.max,
  });
  const plan = { ...planRun(request, planLimits), adaptive };
  const created = await bench.runs.create(plan, { warnings: [], owner: null });
  if (created.outcome === "mismatch") throw new Error("mismatch");
  const { id } = created.run;
  // The earlier version left out the last attempt of the first scenario.
  const claimed = await bench.queue.claim({ worker: `test:${process.pid}:2`, limit: 100, perRun: 100 });
  for (const { lease, scenario_index, attempt } of claimed) {
    if (scenario_index === 0 && attempt === 6) await bench.queue.finish(lease, { average_scores: {} });
    else await bench.queue.release(lease);
  }
  const runs = createRuns({
    store: bench.store,
    queue: bench.queue,
    createModel: () => models.model,
    isDemo: () => false,
    workerId: `test:${process.pid}:3`,
    newId: randomUUIDv7,
    concurrency: { global: 8, perRun: 8 },
    heartbeatMs: 5_000,
    onError: (error) => {
      throw error;
    },
  });
  await runs.start();
  const run = await runs.wait(id, AbortSignal.timeout(20_000));
  expect(run).toMatchObject({ state: "completed", settings: { attempts: 6, adaptive } });

  const results = await bench.results(run);
  const made = results.results.scenarios.map(({ attempts, attempts_skipped }) => [attempts.length, attempts_skipped]);
  expect(results).toMatchObject({ attempts: 6, adaptive });
  expect(made).toEqual([
    [5, 1],
    [6, undefined],
  ]);
  const compared = await compareStoredRuns(bench.store, fixed.run_id, id);
  expect(compared).toMatchObject({ comparable: true, verdict: "same" });
  expect(compared.notes[1]).toMatch(
    /^Of the candidate's attempts, only the first 3 of each scenario are compared: whether more/,
  );
  expect(compared.settings).toContainEqual({ setting: "attempts", baseline: 6, candidate: adaptive });
  expect((await runs.rescore(id, null)).summary?.stopped_by).toBeUndefined();
  const { scenarios, ...settings } = plan;
  expect(toRepeatRequest(settings, { scenarios, helpers: {} })).toMatchObject({ attempts: 6 });
  expect(toRepeatRequest(settings, { scenarios, helpers: {} })).not.toHaveProperty("adaptive");
  await runs.stop({ graceMs: 1_000 });
});

test("compares the same number of attempts per scenario of both runs", async () => {
  const made = new Map<string, number>();
  const tiring = fakeModel((request) => {
    const question = lastUserMessage(request);
    made.set(question, (made.get(question) ?? 0) + 1);
    return made.get(question) === 1 ? "yes" : "no";
  });
  await using bench = await startBench({ models: { tiring, fresh: fakeModel(() => "yes") } });
  const test_batch = ["q1", "q2"].map((question) => ({
    id: question,
    interactions: [{ id: "t", user_message: question, reference_reply: "yes" }],
  }));
  const many = await bench.evaluate({ test_batch, model_id: "tiring", attempts: 4, concurrency: 1 });
  const single = await bench.evaluate({ test_batch, model_id: "fresh" });
  expect(many.summary.average_scores["overall"]).toBe(0.25);
  const compared = await compareStoredRuns(bench.store, many.run_id, single.run_id);
  expect(compared).toMatchObject({ verdict: "same", changed: [] });
  expect(compared.notes).toEqual([
    "Of the baseline's attempts, only the first of each scenario is compared: the candidate has no more.",
  ]);
});

test("lists changed interactions in the order of the suite", async () => {
  const second = Promise.withResolvers<void>();
  const good = right();
  const late: ChatModel = async (request, options) => {
    if (lastUserMessage(request) === "q1") await second.promise;
    else setTimeout(second.resolve, 50);
    return good(request, options);
  };
  await using bench = await startBench({ models: { late, wrong: fakeModel(() => "wrong") } });
  const asking = (id: string, question: string) => ({
    id,
    interactions: [{ id: "t", user_message: question, reference_reply: question.replace("q", "a") }],
  });
  const test_batch = [asking("first", "q1"), asking("second", "q2")];
  const before = await bench.evaluate({ test_batch, model_id: "late" });
  const after = await bench.evaluate({ test_batch, model_id: "wrong" });
  const { changed } = await compareStoredRuns(bench.store, before.run_id, after.run_id);
  expect(changed.map(({ scenario_id }) => scenario_id)).toEqual(["first", "second"]);
});

test("refuses incomparable runs with a reason, and leaves out differing scores", async () => {
  const judge = fakeModel(() => JSON.stringify({ reason: "r", verdict: "partial" }));
  await using bench = await startBench({ models: { model: right(), judge } });
  const plain = await bench.evaluate({ test_batch: batch });
  const taught = await bench.evaluate({ test_batch: batch, history: "reference" });
  const refused = await compareStoredRuns(bench.store, plain.run_id, taught.run_id);
  expect(refused).toMatchObject({ comparable: false, verdict: null });
  expect(refused.sentence).toContain("saw its own replies as history, the candidate's the reference replies");

  const judged = await bench.evaluate({ test_batch: batch, judge: { endpoint: "http://j", model_id: "judge" } });
  const partly = await compareStoredRuns(bench.store, plain.run_id, judged.run_id);
  expect(partly.scores.map(({ name }) => name)).not.toContain("overall");
  expect(partly.notes[0]).toContain("the runs had different judges");
  await expect(compareStoredRuns(bench.store, "nonsense", plain.run_id)).rejects.toMatchObject({
    code: "run_not_found",
  });
  await expect(compareStoredRuns(bench.store, plain.run_id, plain.run_id, { owner: "other" })).rejects.toMatchObject({
    code: "run_not_found",
  });
});

test("reports an unknown run before the other is read", async () => {
  await using bench = await startBench({ models: { model: right() } });
  const { run_id } = await bench.evaluate({ test_batch: numberedScenario("s", 1) });
  const read: string[] = [];
  const scenarios = async (id: string): Promise<never> => {
    read.push(id);
    throw new Error("unreadable");
  };
  const store = { ...bench.store, runs: { ...bench.store.runs, scenarios } };
  await expect(compareStoredRuns(store, run_id, "nonsense")).rejects.toMatchObject({ code: "run_not_found" });
  expect(read).toEqual([]);
});

test("compares the new scores of a run rescored meanwhile, and rejects a deleted one", async () => {
  await using bench = await startBench({ models: { good: right(), bad: half() } });
  const good = await bench.evaluate({ test_batch: batch, model_id: "good" });
  const bad = await bench.evaluate({ test_batch: batch, model_id: "bad" });
  const { interactions } = bench.store;
  /** Called once some turns of the second run have been read. */
  let meanwhile = async (): Promise<unknown> => {
    meanwhile = async () => {};
    const replace = { request: { weights: { success: 1 } }, limits: planLimits, helpers: {} };
    return bench.runs.rescore(bad.run_id, null, { replace });
  };
  async function* scored(id: string) {
    for await (const turns of interactions.scored(id)) {
      yield turns.slice(0, 12);
      if (id === bad.run_id) await meanwhile();
      yield turns.slice(12);
    }
  }
  const store: Store = { ...bench.store, interactions: { ...interactions, scored } };
  const compared = await compareStoredRuns(store, good.run_id, bad.run_id);
  expect(compared.scores.map(({ name }) => name)).not.toContain("overall");
  expect(compared.notes).toEqual([expect.stringContaining("overall")]);
  meanwhile = () => bench.runs.remove(bad.run_id, null, AbortSignal.timeout(20_000));
  await expect(compareStoredRuns(store, good.run_id, bad.run_id)).rejects.toMatchObject({ code: "run_not_found" });
});

test("rescores from stored replies without a model call, and keeps verdicts", async () => {
  const model = right();
  const judge = fakeModel(() => JSON.stringify({ reason: "r", verdict: "partial" }));
  await using bench = await startBench({ models: { model, judge } });
  const before = await bench.evaluate({
    test_batch: numberedScenario("s", 2),
    attempts: 2,
    judge: { endpoint: "http://j", model_id: "judge" },
  });
  const asked = model.requests.length + judge.requests.length;
  const models = { model, judge };
  const customScorers = { always: () => 1 };
  const createScoring: CreateRunScoring = createRunScoring(
    { customScorers },
    { createModel: ({ model_id }) => models[model_id as "model" | "judge"] },
  );
  const run = await rescoreRun(before.run_id, {
    store: bench.store,
    createScoring,
    customScorers,
    now: Date.now,
  });
  expect(model.requests.length + judge.requests.length).toBe(asked);
  const after = await bench.results(run);
  const turn = after.results.scenarios[0]?.attempts[0]?.interactions[0];
  expect(turn?.scores).toMatchObject({ always: 1, judge_correctness: 0.5, token_f1: 1 });
  expect(turn?.judgements).toEqual(before.results.scenarios[0]?.attempts[0]?.interactions[0]?.judgements);
  expect(after.summary.average_scores["always"]).toBe(1);
  expect(after.message).toBe(before.message);
  await rescoreRun(before.run_id, {
    store: bench.store,
    createScoring,
    customScorers,
    now: Date.now,
    askModels: true,
  });
  expect(judge.requests.length).toBe(asked - model.requests.length + 4);
});

test("measures the noise floor of A/A runs, and refuses other runs", async () => {
  let call = 0;
  const model = fakeModel(() => (call++ % 3 === 0 ? "a1" : "b"));
  await using bench = await startBench({ models: { model } });
  const request = { test_batch: Array.from({ length: 4 }, (_, index) => numberedScenario(`s${index}`, 1)) };
  const ids: string[] = [];
  for (let run = 0; run < 4; run++) ids.push((await bench.evaluate({ ...request, test_name: `run ${run}` })).run_id);
  const floors = await measureNoise(bench.store, ids);
  expect(floors["success"]).toMatchObject({ floor: null, method: "none: all 4 runs have the same value" });
  expect(floors["overall"]?.floor).toBeGreaterThan(0);
  const other = await bench.evaluate({ ...request, threshold: 0.1 });
  await expect(measureNoise(bench.store, [...ids, other.run_id])).rejects.toBeInstanceOf(ServiceError);
  const held = await bench.evaluate({ ...request, gate: { scores: { overall: 0.1 } }, replay_first_bad_turn: true });
  expect((await measureNoise(bench.store, [...ids, held.run_id]))["overall"]).toMatchObject({ runs: 5 });
  const stopped = await bench.evaluate({ ...request, budget: { calls: 2 } });
  await expect(measureNoise(bench.store, [...ids, stopped.run_id])).rejects.toThrow("its budget was spent");
});

test("measures noise across runs of an agent on different ports", async () => {
  await using bench = await startBench({
    models: { model: right() },
    ownRuns: [],
    isTied: ({ endpoint }) => endpoint.startsWith("http://127.0.0.1:"),
  });
  const runAt = async (endpoint: string) =>
    (await bench.evaluate({ test_batch: batch, endpoint, protocol: "agent" })).run_id;
  const own = [await runAt("http://127.0.0.1:40001"), await runAt("http://127.0.0.1:40002")];
  expect(await measureNoise(bench.store, own)).toMatchObject({ success: { runs: 2 } });
  await expect(measureNoise(bench.store, [...own, await runAt("http://test")])).rejects.toThrow("differs from");
});

test("estimates from earlier runs of such an agent", async () => {
  await using bench = await startBench({ models: { model: right() }, ownRuns: [], isTied: () => true });
  await bench.evaluate({ test_batch: batch, endpoint: "http://127.0.0.1:40001", protocol: "agent" });
  const request = { test_batch: batch, endpoint: "http://127.0.0.1:40002", model_id: "model" };
  const plan = planRun(EvaluationRequest.parse(request), planLimits);
  const estimate = await bench.runs.estimate(plan, { warnings: [], owner: null });
  expect(estimate.based_on).toBe("1 earlier run of this model");
  const elsewhere = await estimatePlan(plan, { store: bench.store, concurrency: 8, owner: null });
  expect(elsewhere.based_on).toBe("rough averages: this model has no earlier runs");
});

test("estimates from earlier runs of the same model", async () => {
  await using bench = await startBench({ models: { model: right() } });
  const request = EvaluationRequest.parse({
    test_batch: batch,
    endpoint: "http://test",
    model_id: "model",
    attempts: 2,
  });
  const options = { store: bench.store, concurrency: 8, owner: null };
  const first = await estimatePlan(planRun(request, planLimits), options);
  expect(first).toMatchObject({ based_on: "rough averages: this model has no earlier runs", calls: { expected: 48 } });
  await bench.evaluate({ test_batch: batch });
  const second = await estimatePlan(planRun(request, planLimits), options);
  expect(second.based_on).toBe("1 earlier run of this model");
  expect(second.output_tokens.expected).toBe(48 * 5);
});

test("includes second passes and judge calls of earlier runs in an estimate", async () => {
  const judge = { endpoint: "http://judge", model_id: "judge" };
  await using bench = await startBench({ models: { model: right(), judge: prefersRight() } });
  const request = { test_batch: batch, history: "both" as const, judge };
  const { run_id } = await bench.evaluate(request);
  const run = await bench.store.runs.get(run_id);
  const plan = planRun(EvaluationRequest.parse({ ...request, endpoint: "http://test", model_id: "model" }), planLimits);
  const estimate = await estimatePlan(plan, { store: bench.store, concurrency: 8, owner: null });
  expect(estimate.model_calls.expected).toBe(48);
  expect(estimate.helper_calls.expected).toBe(48);
  expect(estimate.output_tokens.expected).toBe(48 * 5 + 48 * 80);
  // Repeating the run takes as long as before.
  expect(estimate.seconds.expected).toBeCloseTo(((run?.finished_at ?? 0) - (run?.started_at ?? 0)) / 1_000, 9);
});

/** Chooses the reply that is not "wrong". */
const prefersRight = () =>
  fakeModel(({ messages }) => {
    const material = messages[1]?.content ?? "";
    const first = !/"first_reply": "wrong"/.test(material);
    const second = !/"second_reply": "wrong"/.test(material);
    return JSON.stringify({ reason: "r", verdict: first === second ? "tie" : first ? "first" : "second" });
  });

test("lets a judge choose between the replies of two runs, in both orders", async () => {
  const judge = prefersRight();
  await using bench = await startBench({ models: { good: right(), bad: half(), judge } });
  const good = await bench.evaluate({ test_batch: batch, model_id: "good", attempts: 2 });
  const bad = await bench.evaluate({ test_batch: batch, model_id: "bad" });
  const result = await bench.runs.judgePairs(
    {
      baseline: good.run_id,
      candidate: bad.run_id,
      judge: { endpoint: "http://judge", model_id: "judge" },
      limit: 200,
    },
    { owner: null, signal: new AbortController().signal },
  );
  expect(PairwiseComparison.parse(result)).toMatchObject({ pairs: 24, losses: 12, ties: 12, wins: 0, win_rate: 0.25 });
  expect(result).toMatchObject({ judge_audited: false });
  expect(result.sentence).toContain("The judge prefers the baseline");
  expect(judge.requests).toHaveLength(48);
});

test("needs a judge for choosing between runs, and accepts the operator's", async () => {
  const judge = prefersRight();
  const operatorJudge = { endpoint: "http://judge", model_id: "judge" };
  const signal = new AbortController().signal;
  await using without = await startBench({ models: { model: right() } });
  const request = { baseline: "none", candidate: "none", limit: 1 };
  await expect(without.runs.judgePairs(request, { owner: null, signal })).rejects.toMatchObject({
    code: "validation_failed",
    message: "/judge/endpoint is required: no judge is set on this service (JUDGE_ENDPOINT)",
  });
  await using bench = await startBench({ models: { model: right(), judge }, helpers: { judge: operatorJudge } });
  await expect(bench.runs.judgePairs(request, { owner: null, signal })).rejects.toMatchObject({
    code: "run_not_found",
  });
  const run = await bench.evaluate({ test_batch: batch });
  const pair = { baseline: run.run_id, candidate: run.run_id, limit: 5 };
  expect(await bench.runs.judgePairs(pair, { owner: null, signal })).toMatchObject({ pairs: 5, ties: 5 });
});

test("aborts a judge outside of runs during a long outage, and calls it for its owner", async () => {
  let time = 0;
  const storeOutage = createStoreOutageMonitor(() => time);
  const asked: (string | null | undefined)[] = [];
  const { promise: waits, resolve: begin } = Promise.withResolvers<void>();
  const limits: Limits = {
    acquire: ({ owner, signal }) => {
      asked.push(owner);
      begin();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
    },
    stopWaiting: () => {},
    close: async () => {},
  };
  await using bench = await startBench({ models: { judge: prefersRight() }, limits, storeOutage });
  const judge = { endpoint: "http://judge", model_id: "judge" };
  const items = [{ user_message: "q", reply: "a", reference_reply: "a", human: "equivalent" }];
  const { signal } = new AbortController();
  const audit = bench.runs
    .auditJudge({ judge, items, repeats: 1 }, { owner: "alice", signal })
    .catch((error: unknown) => error);
  await waits;
  for (time of [0, 16_000])
    storeOutage.failed(new ServiceError("storage_unavailable", "The database cannot be reached."));
  expect(await audit).toMatchObject({ code: "storage_unavailable" });
  expect(asked).toEqual(["alice"]);
});

test("deletes a run that ends at the same time, and reports the state of one to be cancelled", async () => {
  await using bench = await startBench({ models: { model: right() } });
  const { run_id } = await bench.evaluate({ test_batch: batch });
  const record = (await bench.store.runs.get(run_id))!;
  const reads = [{ ...record, state: "running" as const }];
  const { get } = bench.store.runs;
  const store = { ...bench.store, runs: { ...bench.store.runs, get: async (id: string) => reads.shift() ?? get(id) } };
  await using late = await startBench({ models: {}, store });
  await expect(late.runs.cancel(run_id, null)).rejects.toMatchObject({
    code: "run_already_finished",
    message: expect.stringContaining("(completed)"),
  });
  reads.push({ ...record, state: "running" });
  await late.runs.remove(run_id, null, AbortSignal.timeout(10_000));
  expect(await get(run_id)).toBeNull();
});

test("starts even when recovery fails", async () => {
  await using storage = await openSqlite({ file: ":memory:" });
  const away = new ServiceError("storage_unavailable", "away");
  const errors: unknown[] = [];
  await using bench = await startBench({
    models: { model: right() },
    store: storage.store,
    queue: { ...storage.queue, recover: () => Promise.reject(away) },
    onError: (error) => errors.push(error),
  });
  expect(await bench.evaluate({ test_batch: batch })).toMatchObject({ state: "completed" });
  expect(errors).toEqual([away]);
});

test("tells waiting clients about a shutdown in time, even while the store delays the worker", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "a") } });
  const claim = Promise.withResolvers<[]>();
  // No claim of the store itself may be in progress, which would take the run.
  await bench.runs.stop({ graceMs: 0 });
  vi.spyOn(bench.queue, "claim").mockReturnValue(claim.promise);
  await bench.runs.start();
  const { id } = await bench.create({ test_batch: numberedScenario("s", 1) });
  const reported = bench.runs.wait(id, new AbortController().signal).catch((error: unknown) => error);
  await vi.waitFor(() => expect(bench.queue.claim).toHaveBeenCalled(), 60_000);
  const stopped = bench.runs.stop({ graceMs: 1 });
  expect(await reported).toMatchObject({ code: "shutting_down" });
  claim.resolve([]);
  await stopped;
});
