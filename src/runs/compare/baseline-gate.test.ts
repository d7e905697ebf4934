import { expect, test } from "vitest";
import { fakeModel, lastUserMessage } from "../../../test/support/fake-model.ts";
import { numberedScenario, startBench } from "../../../test/support/run-bench.ts";

const batch = Array.from({ length: 30 }, (_, index) => numberedScenario(`s${index}`, 1));
const right = fakeModel((request) => lastUserMessage(request).replace("q", "a"));
const wrong = fakeModel(() => "no");

test("a run passes its gate when it is shown not to be worse than the baseline", async () => {
  await using bench = await startBench({ models: { right, wrong } });
  const evaluate = (model_id: string, gate?: object) =>
    bench.evaluate({ test_batch: batch, model_id, ...(gate && { gate }) });
  const { run_id: baseline } = await evaluate("right");

  const same = await evaluate("right", { baseline, not_worse_by: { exact_match: 0.1 } });
  expect(same.summary.gate).toMatchObject({
    passed: true,
    checks: expect.arrayContaining([
      expect.objectContaining({ name: "exact_match", required: -0.1, passed: true, not_worse: "not_worse" }),
    ]),
  });
  expect(same.warnings).toEqual([]);

  const worse = await evaluate("wrong", { baseline, not_worse_by: 0.1 });
  expect(worse.summary.gate?.passed).toBe(false);
  expect(worse.summary.gate?.checks.at(-1)).toMatchObject({ name: "overall", not_worse: "worse" });
});

test("an undecided margin fails unless the gate accepts it, and a hopeless one is warned about before the first call", async () => {
  await using bench = await startBench({ models: { right } });
  const { run_id: baseline } = await bench.evaluate({ test_batch: batch, model_id: "right" });
  const gate = { baseline, not_worse_by: 0.02 };
  const strict = await bench.evaluate({ test_batch: batch, model_id: "right", gate });
  expect(strict.summary.gate).toMatchObject({ passed: false });
  expect(strict.summary.gate?.checks.at(-1)).toMatchObject({ not_worse: "undecided", passed: false });
  expect(strict.warnings).toContainEqual({
    pointer: "/gate/not_worse_by",
    message:
      "cannot be shown for overall with 30 scenarios, however good the replies are: not worse by 0.02 takes at least 149",
  });
  const mild = await bench.evaluate({ test_batch: batch, model_id: "right", gate: { ...gate, undecided: "pass" } });
  expect(mild.summary.gate).toMatchObject({ passed: true });
  expect(mild.summary.gate?.checks.at(-1)).toMatchObject({ not_worse: "undecided", passed: true });
});

test("refuses a baseline that does not exist", async () => {
  await using bench = await startBench({ models: { right } });
  const gate = { baseline: "nowhere", not_worse_by: 0.02 };
  await expect(bench.evaluate({ test_batch: batch, model_id: "right", gate })).rejects.toThrow(
    "/gate/baseline must be the id of a stored run",
  );
});
