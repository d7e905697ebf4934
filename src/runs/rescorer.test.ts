import { expect, test } from "vitest";
import { createRunScoring } from "./create-scoring.ts";
import { createRescorer } from "./rescorer.ts";
import { fakeModel } from "./testing/fake-model.ts";
import { numberedScenario, startBench } from "./testing/run-bench.ts";

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
