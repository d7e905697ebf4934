import { randomUUIDv7 } from "node:crypto";
import { expect, test } from "vitest";
import { EvaluationRequest } from "../../contract/schemas/evaluation-request.ts";
import { createRuns } from "../create-runs.ts";
import { planRun } from "../plan/plan-run.ts";
import { fakeModel } from "../../../test/support/fake-model.ts";
import { numberedScenario, planLimits, startBench, type RunBench } from "../../../test/support/run-bench.ts";

/** Another process on the store of a bench. */
function another({ store, queue }: RunBench, ownRuns?: readonly string[]) {
  return createRuns({
    store,
    queue,
    createModel: () => fakeModel(() => "a1"),
    isDemo: () => false,
    workerId: `test:${process.pid}:${randomUUIDv7()}`,
    newId: randomUUIDv7,
    concurrency: { global: 8, perRun: 8 },
    heartbeatMs: 5_000,
    onError: (error) => {
      throw error;
    },
    ownRuns,
  });
}

test("leaves unfinished runs of others alone", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "a1") }, ownRuns: [] });
  const request = { endpoint: "http://test", model_id: "model", test_batch: numberedScenario("foreign", 1) };
  const plan = planRun(EvaluationRequest.parse(request), planLimits);
  const left = await another(bench).create(plan, { warnings: [], owner: null });
  if (left.outcome !== "created") throw new Error(left.outcome);

  expect(await bench.evaluate({ test_batch: numberedScenario("own", 1) })).toMatchObject({ state: "completed" });
  expect(await bench.store.runs.state(left.run.id)).toBe("queued");

  const resumed = another(bench, [left.run.id]);
  await resumed.start();
  await resumed.wait(left.run.id, AbortSignal.timeout(20_000));
  await resumed.stop({ graceMs: 1_000 });
  expect(await bench.store.runs.state(left.run.id)).toBe("completed");
});
