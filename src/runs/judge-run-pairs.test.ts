import { expect, test } from "vitest";
import { judgeRunPairs } from "./judge-run-pairs.ts";
import { fakeModel } from "./testing/fake-model.ts";
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
    { createModel: () => judge, signal: new AbortController().signal },
  );
  expect(result).toMatchObject({ pairs: 2, ties: 2 });
});
