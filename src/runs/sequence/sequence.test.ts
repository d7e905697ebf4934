import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { hashText } from "../../base/hash.ts";
import { createRandom } from "../../base/random.ts";
import { EvaluationRequest } from "../../contract/schemas/evaluation-request.ts";
import type { ChatModel } from "../../contract/ports/chat-model.ts";
import { sampleReply } from "../../contract/testing/sample-reply.ts";
import { createRuns } from "../create-runs.ts";
import { planRun } from "../plan/plan-run.ts";
import { fakeModel } from "../../../test/support/fake-model.ts";
import { planLimits, startBench } from "../../../test/support/run-bench.ts";

const suite = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `s${index}`,
    interactions: [{ id: "t", user_message: `question ${index}`, reference_reply: "yes indeed" }],
  }));

const lastQuestion = (messages: readonly { readonly content?: unknown }[]): string => String(messages.at(-1)?.content);

/** Right in this share of the questions, always the same ones. */
const right = (share: number, salt = "") =>
  fakeModel(({ messages }) =>
    createRandom(hashText(`${salt}${lastQuestion(messages)}`))() < share ? "yes indeed" : "no",
  );

const versus = (fields: Record<string, unknown> = {}) => ({
  until: "decided",
  against: { model_id: "old" },
  score: "exact_match",
  ...fields,
});
const scorers = ["exact_match"];

test("two models stop as soon as the better one is known", async () => {
  const [model, old] = [right(0.95), right(0.3)];
  await using bench = await startBench({ models: { model, old } });
  const { summary, run_id, message } = await bench.evaluate({ test_batch: suite(80), scorers, attempts: versus() });
  expect(summary).toMatchObject({ stopped_by: "decided", decision: { verdict: "closer", stopped_by: "decided" } });
  expect(message).toContain(
    `Decided after ${summary.decision?.scenarios} of 80 scenarios: exact_match is closer to the references, +`,
  );
  // Both sides stop, at most the lead ahead of the scenario that decided.
  const decidedAt = summary.decision?.scenarios ?? 0;
  expect(decidedAt).toBeLessThan(50);
  for (const { requests } of [model, old]) expect(requests.length).toBeLessThanOrEqual(decidedAt + 10);
  const { baseline, points, candidate } = await bench.runs.sequence(run_id, null);
  expect(candidate).toBe(run_id);
  expect(points.at(-1)).toMatchObject({ scenarios: decidedAt, lower: summary.decision?.lower });
  expect(summary.decision?.lower).toBeGreaterThanOrEqual(0);
  // The other side is a run of its own and answers alike.
  const other = await bench.runs.get(baseline ?? "", null);
  expect(other).toMatchObject({
    state: "completed",
    settings: { model_id: "old" },
    summary: { interactions: old.requests.length },
  });
  expect(await bench.runs.sequence(other.id, null)).toMatchObject({ candidate: run_id, verdict: "closer" });
  const order = async (id: string) => (await bench.store.runs.scenarios(id)).map((scenario) => scenario.id);
  expect(await order(other.id)).toEqual(await order(run_id));
  expect(await order(run_id)).not.toEqual(suite(80).map(({ id }) => id));
});

test("equal models are undecided when the scenarios run out", async () => {
  await using bench = await startBench({ models: { model: right(0.6, "a"), old: right(0.6, "b") } });
  const { summary, results } = await bench.evaluate({ test_batch: suite(24), scorers, attempts: versus({ seed: 3 }) });
  expect(summary.decision).toMatchObject({ verdict: "undecided", stopped_by: "scenarios", scenarios: 24, planned: 24 });
  expect(summary.stopped_by).toBeUndefined();
  expect(summary.decision?.sentence).toMatch(/^Undecided: the scenarios ran out after 24 of 24 scenarios\./);
  expect(results.scenarios).toHaveLength(24);
});

test("keeps the budget of the request over both sides, and says that it stopped there", async () => {
  const [model, old] = [right(0.6, "a"), right(0.6, "b")];
  await using bench = await startBench({ models: { model, old } });
  const budget = { calls: 30 };
  const { summary } = await bench.evaluate({ test_batch: suite(60), scorers, attempts: versus(), budget });
  expect(model.requests.length + old.requests.length).toBeLessThanOrEqual(30);
  expect(summary.decision).toMatchObject({ verdict: "undecided", stopped_by: "budget" });
  expect(summary.decision?.scenarios).toBeGreaterThan(5);
  expect(summary.stopped_by).toBe("budget");
});

test("one run stops against a threshold, and against a stored run", async () => {
  const model = right(0.95);
  await using bench = await startBench({ models: { model, old: right(0.3) } });
  const above = await bench.evaluate({
    test_batch: suite(80),
    scorers,
    attempts: versus({ against: { threshold: 0.5 } }),
  });
  expect(above.summary.decision).toMatchObject({ verdict: "better" });
  expect(above.summary.decision?.sentence).toContain("exact_match is higher than 0.5, +0.");
  expect(model.requests.length).toBeLessThan(60);

  const stored = await bench.evaluate({ model_id: "old", test_batch: suite(80), scorers });
  const against = { run: stored.run_id };
  const safe = await bench.evaluate({ test_batch: suite(80), scorers, attempts: versus({ against, margin: 0.05 }) });
  expect(safe.summary.decision).toMatchObject({ verdict: "not_worse", margin: 0.05 });
  // A run that has only some of the scenarios is enough; the others are left out.
  const part = await bench.evaluate({ model_id: "old", test_batch: suite(80).slice(0, 40), scorers });
  const partly = await bench.evaluate({
    test_batch: suite(80),
    scorers,
    attempts: versus({ against: { run: part.run_id } }),
  });
  expect(partly.summary.decision).toMatchObject({ verdict: "closer", left_out: expect.any(Number) });
  expect(partly.warnings).toMatchObject([{ message: expect.stringContaining("has 40 of these 80 scenarios") }]);
  const repeated = await bench.runs.request(await bench.runs.get(safe.run_id, null));
  expect(repeated.attempts).toEqual({ until: "decided", against, score: "exact_match", margin: 0.05 });
});

test("a slow side is not left behind by a fast one", async () => {
  const fast = right(0.6, "a");
  const slow: ChatModel = async (request, options) => {
    await new Promise((resolve) => setTimeout(resolve, 10));
    return right(0.6, "b")(request, options);
  };
  const ahead: number[] = [];
  let slowCalls = 0;
  const counted: ChatModel = (request, options) => {
    slowCalls += 1;
    ahead.push(fast.requests.length - slowCalls);
    return slow(request, options);
  };
  await using bench = await startBench({ models: { model: counted, old: fast } });
  await bench.evaluate({ test_batch: suite(30), scorers, attempts: versus() });
  expect(Math.max(...ahead)).toBeLessThanOrEqual(8);
});

test("another process continues an interrupted comparison and reaches the same verdict", async () => {
  const interrupted = right(0.95);
  await using bench = await startBench({ models: { model: right(0.95), old: right(0.3) }, ownRuns: [] });
  const options = {
    store: bench.store,
    queue: bench.queue,
    isDemo: () => false,
    newId: randomUUIDv7,
    concurrency: { global: 4, perRun: 4 },
    heartbeatMs: 5_000,
    onError: () => {},
  };
  const calls: string[] = [];
  const until = (limit: number) =>
    createRuns({
      ...options,
      workerId: `test:${process.pid}:${randomUUIDv7()}`,
      createModel:
        ({ model_id }) =>
        (request, call) => {
          const key = `${model_id} ${lastQuestion(request.messages)}`;
          if (calls.length >= limit) return new Promise((_, reject) => call.signal.addEventListener("abort", reject));
          calls.push(key);
          return (model_id === "old" ? right(0.3) : interrupted)(request, call).then((reply) => ({
            ...sampleReply(""),
            ...reply,
          }));
        },
    });
  const first = until(12);
  await first.start();
  const request = {
    endpoint: "http://test",
    model_id: "model",
    test_batch: suite(80),
    scorers,
    attempts: versus({ seed: 1 }),
  };
  const created = await first.create(planRun(EvaluationRequest.parse(request), planLimits), {
    warnings: [],
    owner: null,
  });
  if (created.outcome !== "created") throw new Error(created.outcome);
  while (calls.length < 12) await new Promise((resolve) => setTimeout(resolve, 5));
  await first.stop({ graceMs: 0 });

  const second = until(Number.POSITIVE_INFINITY);
  await second.start();
  const ended = await second.wait(created.run.id, AbortSignal.timeout(20_000));
  await second.stop({ graceMs: 1_000 });
  expect(ended.summary?.decision).toMatchObject({ verdict: "closer", stopped_by: "decided" });
  // No reply was asked for twice, except those that the interruption cut off.
  expect(calls.length).toBe(new Set(calls).size);
});

test("cancelling the candidate ends the other side", async () => {
  const slow: ChatModel = (_request, { signal }) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve(sampleReply("no")), 30);
      signal.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason as Error)));
    });
  await using bench = await startBench({ models: { model: slow, old: slow } });
  const run = await bench.create({ test_batch: suite(60), scorers, attempts: versus() });
  const opponent = run.settings.sequence?.opponent ?? "";
  await bench.runs.cancel(run.id, null);
  const other = await bench.runs.wait(opponent, AbortSignal.timeout(20_000));
  expect(other.state).toBe("completed");
  expect(other.summary?.interactions).toBeLessThan(30);
  expect((await bench.runs.get(run.id, null)).state).toBe("cancelled");
});

test.each([
  ["too few scenarios", 5, versus(), "/attempts/until", /cannot be decided with 5 scenarios, .* at least \d+/],
  ["an unknown score", 40, versus({ score: "exactness" }), "/attempts/score", /is not a score of this run/],
  ["a figure without an end", 40, versus({ score: "latency_ms" }), "/attempts/score", /has no upper end/],
])("refuses %s before the first call", (_title, count, attempts, pointer, message) => {
  const request = { endpoint: "http://test", model_id: "model", test_batch: suite(count), scorers, attempts };
  const plan = () => planRun(EvaluationRequest.parse(request), planLimits);
  expect(plan).toThrow(
    expect.objectContaining({
      errors: [expect.objectContaining({ pointer, message: expect.stringMatching(message) })],
    }),
  );
});

test("refuses a stored run that cannot be compared", async () => {
  await using bench = await startBench({ models: { model: right(1) } });
  const other = await bench.evaluate({ test_batch: suite(2) });
  for (const [run, message] of [
    [randomUUIDv7(), "must be the id of a stored run"],
    [other.run_id, expect.stringContaining("has 2 of these scenarios: it takes at least")],
  ])
    await expect(
      bench.create({ test_batch: suite(40), scorers, attempts: versus({ against: { run } }) }),
    ).rejects.toMatchObject({
      errors: [{ pointer: "/attempts/against/run", message }],
    });
});
