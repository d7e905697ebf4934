import { expect, test } from "vitest";
import type { ChatModel } from "../contract/model.ts";
import { judgeRunPairs } from "./judge-run-pairs.ts";
import { fakeModel, lastUserMessage } from "./testing/fake-model.ts";
import { numberedScenario, startBench } from "./testing/run-bench.ts";

const judge = fakeModel(() => JSON.stringify({ reason: "r", verdict: "tie" }));

test("the limit counts pairs, so a part of a suite is found wherever it stands in the whole", async () => {
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
});

test("only first attempts count, and a turn that got no reply from one of them is no pair", async () => {
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
});
