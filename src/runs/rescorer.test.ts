import { expect, test } from "vitest";
import { createRunScoring } from "./create-scoring.ts";
import { createRescorer } from "./rescorer.ts";
import { fakeModel } from "./testing/fake-model.ts";
import { RescoreRequest } from "../contract/rescore.ts";
import { numberedScenario, planLimits, startBench } from "./testing/run-bench.ts";

test("whoever asks while a run is being scored again gets the same answer", async () => {
  const model = fakeModel(() => "a1");
  await using bench = await startBench({ models: { model } });
  const { run_id } = await bench.evaluate({ test_batch: numberedScenario("s", 1) });
  const scoring = createRunScoring({ createModel: () => model });
  let begun = 0;
  const rescored: string[] = [];
  const rescore = createRescorer({
    store: bench.store,
    now: Date.now,
    createScoring: (options) => {
      begun += 1;
      return scoring(options);
    },
    onRescored: (id) => rescored.push(id),
  });
  const [first, second, stranger] = await Promise.allSettled([
    rescore(run_id, null),
    rescore(run_id, null),
    rescore(run_id, "somebody else"),
  ]);
  expect(first).toMatchObject({ status: "fulfilled", value: { id: run_id } });
  expect(second).toEqual(first);
  expect(stranger).toMatchObject({ status: "rejected", reason: { code: "run_not_found" } });
  expect(begun).toBe(1);
  await rescore(run_id, null);
  expect(begun).toBe(2);
});

test("what is asked for otherwise is done afterwards, not in between", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "a1") } });
  const suite = Array.from({ length: 20 }, (_, index) => numberedScenario(`s${index}`, 1));
  const { run_id } = await bench.evaluate({ test_batch: suite });
  const by = (...scorers: string[]) =>
    bench.runs.rescore(run_id, null, {
      replace: { request: RescoreRequest.parse({ scorers }), limits: planLimits, helpers: {} },
    });
  const [first, second] = await Promise.all([by("exact_match"), by("rouge_l")]);
  expect(Object.keys(first.summary?.average_scores ?? {})).toEqual(["success", "exact_match", "overall"]);
  expect(Object.keys(second.summary?.average_scores ?? {})).toEqual(["success", "rouge_l", "overall"]);
});
