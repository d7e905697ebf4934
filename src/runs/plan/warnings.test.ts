import { expect, test } from "vitest";
import { Rubric } from "../../contract/schemas/judging/judge.ts";
import { Interaction, type Scenario } from "../../contract/schemas/scenario.ts";
import { ScorerSetting, TurnCheck } from "../../contract/schemas/scores/scorer-setting.ts";
import { fakeModel } from "../../../test/support/fake-model.ts";
import { numberedScenario, startBench } from "../../../test/support/run-bench.ts";
import { readExpectations } from "./expectations.ts";
import { runScoreNames } from "./score-names.ts";
import { conversationWarnings, gateWarnings, historyWarnings, rubricWarnings } from "./warnings.ts";

const scenario = (...turns: readonly object[]): Scenario => ({
  id: "a",
  description: "",
  tags: [],
  interactions: turns.map((turn, index) =>
    Interaction.parse({ id: `${index}`, user_message: "Hi", interaction_type: "opening", ...turn }),
  ),
});

test("warns about a conversation judge with reference history", () => {
  const judge = { scope: "conversation" } as const;
  const scenarios = readExpectations([scenario({}), scenario({}, {})]);
  expect(conversationWarnings({ judge, history: "reference" }, scenarios)).toMatchObject([{ pointer: "/judge/scope" }]);
  expect(conversationWarnings({ judge, history: "reference" }, readExpectations([scenario({})]))).toEqual([]);
  expect(conversationWarnings({ judge, history: "both" }, scenarios)).toEqual([]);
  expect(conversationWarnings({ judge: {}, history: "reference" }, scenarios)).toEqual([]);
  expect(conversationWarnings({ history: "reference" }, scenarios)).toEqual([]);
});

test("warns about turns missing from reference history", () => {
  const answered = (...references: readonly string[]) =>
    scenario(...references.map((reference_reply) => ({ reference_reply })));
  const gap = readExpectations([answered("", "Hello", ""), answered("Hello", "", "Bye")]);
  const message = "leaves 2 turns without a reference reply out of the reference history that later turns are shown";
  expect(historyWarnings({ history: "reference" }, gap)).toEqual([{ pointer: "/history", message }]);
  expect(historyWarnings({ history: "both" }, gap)).toEqual([{ pointer: "/history", message }]);
  const pointer = "/replay_first_bad_turn";
  expect(historyWarnings({ replay_first_bad_turn: true }, gap)).toEqual([{ pointer, message }]);
  expect(historyWarnings({}, gap)).toEqual([]);
  // Nothing comes after the last turn.
  expect(historyWarnings({ history: "both" }, readExpectations([answered("Hello", ""), answered("")]))).toEqual([]);
});

test("warns once about rubrics without a judge", () => {
  const rubric = { type: "rubric", text: "Is it kind?" };
  const checked = (...checks: readonly object[]) => scenario({ checks });
  const scenarios = readExpectations([
    checked(rubric, rubric),
    checked(rubric),
    checked({ type: "contains", text: "a" }),
  ]);
  expect(rubricWarnings({}, scenarios)).toEqual([
    { pointer: "/judge", message: "is not set, so the rubrics of 2 turns have no score" },
  ]);
  expect(rubricWarnings({ judge: { scope: "conversation" } }, readExpectations([checked(rubric)]))).toMatchObject([
    { pointer: "/judge/scope" },
  ]);
  expect(rubricWarnings({ judge: {} }, scenarios)).toEqual([]);
  expect(rubricWarnings({}, readExpectations([checked()]))).toEqual([]);
});

test("warns about a label rule for an unexpected key, with a suggestion", async () => {
  const message = "has no effect: no interaction expects a label under this key";
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

test("warns about a gate on a score the run cannot have, with a suggestion", async () => {
  const message = "is not a score of this run, so the gate cannot pass";
  await using bench = await startBench({ models: { model: fakeModel(() => "a1") } });
  const { warnings } = await bench.evaluate({
    test_batch: numberedScenario("s", 1),
    gate: { scores: { overal: 0.5, success: 1 }, scenario_scores: { edit_similarity: 0.5, "x/y": 0 } },
  });
  expect(warnings).toEqual([
    { pointer: "/gate/scores/overal", message, suggestion: "overall" },
    { pointer: "/gate/scenario_scores/edit_similarity", message },
    { pointer: "/gate/scenario_scores/x~1y", message },
  ]);
});

test("knows the scores of checks, turns, labels, judges and custom scorers", () => {
  const checks = [TurnCheck.parse({ type: "length", max: 9 })];
  const scenarios = [scenario({ reference_reply: "Hi", reference_metadata: { intent: "hello" }, checks })];
  const sources = { expectations: readExpectations(scenarios), customScorers: ["polite"] };
  const scorers = [
    ScorerSetting.parse({ type: "length", max: 5 }),
    ScorerSetting.parse({ type: "latency", max_ms: 1 }),
  ];
  const judge = { rubrics: [Rubric.parse({ name: "kind", text: "Is it kind?" })] };
  const names = ["overall", "token_f1", "length", "length_2", "latency", "metadata_match", "metadata.intent", "polite"];
  const scores = Object.fromEntries([...names, "judge.kind", "judge_rubrics"].map((name) => [name, 0.5]));
  expect(gateWarnings({ scores }, runScoreNames({ scorers, judge }, sources))).toEqual([]);
  expect(gateWarnings({ scores: { token_f1: 1 } }, runScoreNames({ scorers: ["chrf"] }, sources))).toHaveLength(1);
});
