import { expect, test } from "vitest";
import { fakeModel, lastUserMessage } from "./testing/fake-model.ts";
import { numberedScenario, startBench } from "./testing/run-bench.ts";

test("a rubric of a turn is not 0 or 1 by nature, as other checks are", async () => {
  const model = fakeModel((asked) => lastUserMessage(asked).replace("q", "a"));
  const judge = fakeModel(() => JSON.stringify({ reason: "because", verdict: "pass" }));
  await using bench = await startBench({ models: { model, judge } });
  const checks = [
    { type: "rubric", name: "tone", text: "Is it kind?" },
    { type: "length", max: 80 },
  ];
  const { summary } = await bench.evaluate({
    test_batch: ["s", "t", "u"].map((id) => numberedScenario(id, 1, { checks })),
    judge: { endpoint: "http://judge", model_id: "judge", rubric: "Is it right?" },
  });
  const methodOf = (name: string) => summary.score_stats[name]?.method;
  expect(methodOf("length")).toBe("wilson over 3 scenarios");
  expect(methodOf("tone")).toBe(methodOf("judge_correctness"));
  expect(methodOf("tone")).toBe("none: all 3 scenarios have the same value");
});
