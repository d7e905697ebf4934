import { expect, test } from "vitest";
import type { ChatModel } from "../../contract/ports/chat-model.ts";
import { judgeRunPairs } from "./judge-run-pairs.ts";
import { fakeModel, lastUserMessage } from "../../../test/support/fake-model.ts";
import { numberedScenario, startBench } from "../../../test/support/run-bench.ts";

const judge = fakeModel(() => JSON.stringify({ reason: "r", verdict: "tie" }));

test("applies the limit to pairs, so that a part of a suite is found anywhere in the whole", async () => {
  const whole = Array.from({ length: 6 }, (_, index) => numberedScenario(`s${index}`, 1));
  await using bench = await startBench({ models: { model: fakeModel(() => "a1"), judge } });
  const baseline = await bench.evaluate({ test_batch: whole });
  const candidate = await bench.evaluate({ test_batch: whole.slice(3) });
  const result = await judgeRunPairs(
    bench.store,
    {
      baseline: baseline.run_id,
      candidate: candidate.run_id,
      judge: { endpoint: "http://judge", model_id: "judge" },
      limit: 2,
    },
    { createModel: () => judge, priceOf: () => () => 0.25, signal: new AbortController().signal },
  );
  expect(result).toMatchObject({ pairs: 2, ties: 2, helper_usage: { calls: 4, usage: { total_tokens: 60 }, cost: 1 } });
  expect(result.limited).toBe(true);
  expect(result.sentence).toMatch(/Only the first 2 pairs were judged\.$/);
});

test("pairs only first attempts, and only turns that both answered", async () => {
  const answering = fakeModel(() => "a1");
  const error = { code: "upstream_error", detail: "no", upstream_status: 503, tries: 1, retryable: true } as const;
  const failing: ChatModel = async (request, options) =>
    lastUserMessage(request) === "q2" ? { ok: false, error, latency_ms: 1 } : answering(request, options);
  await using bench = await startBench({ models: { answering, failing, judge } });
  const test_batch = numberedScenario("s", 3);
  const baseline = await bench.evaluate({ test_batch, model_id: "failing" });
  const candidate = await bench.evaluate({ test_batch, model_id: "answering", attempts: 2 });
  const result = await judgeRunPairs(
    bench.store,
    {
      baseline: baseline.run_id,
      candidate: candidate.run_id,
      judge: { endpoint: "http://judge", model_id: "judge" },
      limit: 10,
    },
    { createModel: () => judge, signal: new AbortController().signal },
  );
  expect(result).toMatchObject({ pairs: 2 });
  expect(result).not.toHaveProperty("limited");
});

test("shows each reply with its own conversation or that of the references", async () => {
  const shown: unknown[] = [];
  const listening: ChatModel = (request, options) => {
    shown.push(JSON.parse(lastUserMessage(request).split(/<<<DATA|DATA>>>/u)[1] ?? ""));
    return judge(request, options);
  };
  await using bench = await startBench({ models: { plain: fakeModel(() => "own") } });
  const test_batch = numberedScenario("s", 2);
  const own = await bench.evaluate({ test_batch, model_id: "plain" });
  const taught = await bench.evaluate({ test_batch, model_id: "plain", history: "reference" });
  await judgeRunPairs(
    bench.store,
    {
      baseline: own.run_id,
      candidate: taught.run_id,
      judge: { endpoint: "http://judge", model_id: "judge" },
      limit: 10,
    },
    { createModel: () => listening, concurrency: 1, signal: new AbortController().signal },
  );
  expect(shown).toHaveLength(4);
  expect(shown[0]).toMatchObject({ conversation_before: [], user_message: "q1" });
  expect(shown[2]).toMatchObject({
    conversation_before_first_reply: [{ user: "q1", assistant: "own" }],
    conversation_before_second_reply: [{ user: "q1", assistant: "a1" }],
    user_message: "q2",
  });
});

test("rejects when a run is deleted while its replies are judged", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "a1") } });
  const { run_id: kept } = await bench.evaluate({ test_batch: numberedScenario("s", 2) });
  const { run_id: gone } = await bench.evaluate({ test_batch: numberedScenario("s", 2) });
  const deleting: ChatModel = async (request, options) => {
    await bench.store.runs.remove(gone);
    return judge(request, options);
  };
  const comparison = judgeRunPairs(
    bench.store,
    { baseline: kept, candidate: gone, judge: { endpoint: "http://judge", model_id: "judge" }, limit: 10 },
    { createModel: () => deleting, concurrency: 1, signal: new AbortController().signal },
  );
  await expect(comparison).rejects.toMatchObject({ code: "run_not_found" });
});

test("reads no further replies after an abort", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "a1") } });
  const test_batch = Array.from({ length: 5 }, (_, index) => numberedScenario(`s${index}`, 1));
  const { run_id: baseline } = await bench.evaluate({ test_batch });
  const { run_id: candidate } = await bench.evaluate({ test_batch });
  const leaving = new AbortController();
  const { attempts } = bench.store;
  const read: unknown[] = [];
  const store = {
    ...bench.store,
    attempts: {
      ...attempts,
      withInteractions(runId: string, scenarioIndex?: number) {
        read.push(scenarioIndex);
        if (scenarioIndex === 1) leaving.abort();
        return attempts.withInteractions(runId, scenarioIndex);
      },
    },
  };
  const comparison = judgeRunPairs(
    store,
    { baseline, candidate, judge: { endpoint: "http://judge", model_id: "judge" }, limit: 10 },
    { createModel: () => judge, signal: leaving.signal },
  );
  await expect(comparison).rejects.toThrow("aborted");
  expect(read).toEqual([0, 0, 1, 1]);
});
