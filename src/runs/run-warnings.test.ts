import { expect, test } from "vitest";
import { Interaction, type Scenario } from "../contract/schemas/scenario.ts";
import { conversationWarnings } from "./run-warnings.ts";
import { fakeModel } from "./testing/fake-model.ts";
import { numberedScenario, startBench } from "./testing/run-bench.ts";

const scenario = (turns: number): Scenario => ({
  id: "a",
  description: "",
  tags: [],
  interactions: Array.from({ length: turns }, (_, index) =>
    Interaction.parse({ id: `${index}`, user_message: "Hi", interaction_type: "opening" }),
  ),
});

test("a judge of conversations that were never held is told of", () => {
  const judge = { scope: "conversation" } as const;
  const scenarios = [scenario(1), scenario(2)];
  expect(conversationWarnings({ judge, history: "reference" }, scenarios)).toMatchObject([{ pointer: "/judge/scope" }]);
  expect(conversationWarnings({ judge, history: "reference" }, [scenario(1)])).toEqual([]);
  expect(conversationWarnings({ judge, history: "both" }, scenarios)).toEqual([]);
  expect(conversationWarnings({ judge: {}, history: "reference" }, scenarios)).toEqual([]);
  expect(conversationWarnings({ history: "reference" }, scenarios)).toEqual([]);
});

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
