import { expect, test } from "vitest";
import { Rubric } from "../contract/schemas/judge.ts";
import { ScorerSetting, TurnCheck } from "../contract/schemas/scorer-setting.ts";
import { gateWarnings } from "./gate-warnings.ts";
import { fakeModel } from "./testing/fake-model.ts";
import { numberedScenario, startBench } from "./testing/run-bench.ts";

const message = "is no score of this run, so the gate cannot be passed";

test("a gate on a score that the run cannot have is warned of, with the score that may be meant", async () => {
  await using bench = await startBench({ models: { model: fakeModel(() => "a1") } });
  const { warnings } = await bench.evaluate({
    test_batch: numberedScenario("s", 1),
    gate: { scores: { overal: 0.5, success: 1 }, scenario_scores: { chrf: 0.5, "x/y": 0 } },
  });
  expect(warnings).toEqual([
    { pointer: "/gate/scores/overal", message, suggestion: "overall" },
    { pointer: "/gate/scenario_scores/chrf", message },
    { pointer: "/gate/scenario_scores/x~1y", message },
  ]);
});

test("scores of checks, turns, labels, judges and the operator are known", () => {
  const scenario = { id: "s", description: "", tags: [] };
  const turn = { id: "1", user_message: "Hi", agent_reply: "", reference_reply: "", interaction_type: "opening" };
  const checks = [TurnCheck.parse({ type: "length", max: 9 })];
  const interactions = [{ ...turn, reference_metadata: { intent: "hello" }, generated_metadata: {}, checks }];
  const beside = { scenarios: [{ ...scenario, interactions }], customScorers: ["polite"] };
  const scorers = [
    ScorerSetting.parse({ type: "length", max: 5 }),
    ScorerSetting.parse({ type: "latency", max_ms: 1 }),
  ];
  const judge = { rubrics: [Rubric.parse({ name: "kind", text: "Is it kind?" })] };
  const names = ["overall", "token_f1", "length", "length_2", "latency", "metadata_match", "metadata.intent", "polite"];
  const scores = Object.fromEntries([...names, "judge.kind", "judge_rubrics"].map((name) => [name, 0.5]));
  expect(gateWarnings({ gate: { scores }, scorers, judge }, beside)).toEqual([]);
  expect(gateWarnings({ gate: { scores: { token_f1: 1 } }, scorers: ["chrf"] }, beside)).toHaveLength(1);
});
