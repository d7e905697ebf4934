import { expect, test } from "vitest";
import { fakeModel } from "./testing/fake-model.ts";
import { numberedScenario, startBench } from "./testing/run-bench.ts";

const message = "changes nothing: no interaction expects a label under this key";

test("a rule for a key that nothing expects is warned of, with the key that may be meant", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "a1") } });
  const { warnings } = await bench.evaluate({
    test_batch: numberedScenario("s", 1, { reference_metadata: { intent: "refund", tone: "kind" } }),
    label_rules: { intnet: { ignore: true }, "x/y~": {}, tone: { ignore: true } },
  });
  expect(warnings).toEqual([
    { pointer: "/label_rules/intnet", message, suggestion: "intent" },
    { pointer: "/label_rules/x~1y~0", message },
  ]);
});
