import { expect, test } from "vitest";
import { Interaction } from "../../contract/schemas/scenario.ts";
import type { Scores } from "../../contract/schemas/scores/score.ts";
import type { ScorerSetting } from "../../contract/schemas/scores/scorer-setting.ts";
import { createRunTally } from "../../evaluation/comparison/run-tally.ts";
import { fakeModel, lastUserMessage } from "../../../test/support/fake-model.ts";
import { numberedScenario, startBench } from "../../../test/support/run-bench.ts";
import { createEmbedderBaselines, incomparableScores } from "./score-definitions.ts";

const tally = { rubric_scores: new Set<string>(), named_checks: new Set<string>(), scenarios: new Map() };
const side = (...semantics: [embedder: string, baseline: number][]) => {
  const embedders = createEmbedderBaselines();
  for (const [embedder, baseline] of semantics) embedders.add({ embedder, baseline });
  return { measures: undefined, embedders, tally };
};

test.each([
  [side(["mini", 0.3]), side(["mini", 0.31]), "the runs had different embedders or baselines"],
  [side(["mini", 0.3]), side(["mini", 0.3], ["mini", 0.31]), "the runs had different embedders or baselines"],
  [side(["mini", 0.3]), side(["maxi", 0.3]), "the runs had different embedders or baselines"],
  [side(["mini", 0.3]), side(), "only one of the runs has semantic scores"],
])("leaves out semantic scores of different embedders, and names the difference", (baseline, candidate, why) => {
  const { leaveOut, notes } = incomparableScores(baseline, candidate);
  expect([...leaveOut]).toEqual(["semantic_similarity", "overall"]);
  expect(notes[0]).toBe(`semantic_similarity, overall left out: ${why}.`);
});

test("treats slightly different baselines of an embedder as the same", () => {
  const before = side(["mini", 0.578_749], ["mini", 0.578_731]);
  expect([...incomparableScores(before, side(["mini", 0.578_802])).leaveOut]).toEqual([]);
});

test("leaves out turn rubrics when the judges differ", () => {
  const judgedBy = (judge: string, ...rubrics: string[]) => ({
    measures: { overall: "same", judge, judge_scores: ["judge_correctness"], labels: "same" },
    embedders: createEmbedderBaselines(),
    tally: { ...tally, rubric_scores: new Set(rubrics) },
  });
  const { leaveOut } = incomparableScores(judgedBy("a", "rubric"), judgedBy("b", "rubric", "tone"));
  expect([...leaveOut].toSorted()).toEqual(
    ["conversation_rubrics", "judge_correctness", "judge_rubrics", "overall", "rubric", "tone"].toSorted(),
  );
  expect([...incomparableScores(judgedBy("a", "rubric"), judgedBy("a", "rubric")).leaveOut]).toEqual([]);
});

test("counts a custom scorer in overall only when both runs have it", () => {
  const scored = (...turns: readonly Scores[]) => {
    const run = createRunTally();
    for (const [index, scores] of turns.entries()) {
      const interaction = Interaction.parse({ id: String(index), user_message: "q", interaction_type: "opening" });
      run.add({ scenario_id: "s", interaction, scores, scoring_version: "1" });
    }
    const measures = { overall: "same", judge: null, judge_scores: [], labels: "same" };
    return { measures, embedders: createEmbedderBaselines(), tally: run };
  };
  const polite = scored({ success: 1, overall: 1, polite: 1 }, { success: 1, overall: 1 });
  const leftOut = (other: ReturnType<typeof scored>) => [...incomparableScores(polite, other).leaveOut];
  expect(leftOut(scored({ success: 0 }, { success: 1, overall: 1 }))).toEqual([]);
  expect(leftOut(scored({ success: 1, overall: 1 }, { success: 0 }))).toEqual(["overall"]);
});

test("leaves out label scores and overall when the labellers differ", async () => {
  const labeller = fakeModel(() => JSON.stringify({ intent: "refund" }));
  await using bench = await startBench({ models: { model: fakeModel(() => "Done."), labeller } });
  const scenario = (id: string, intent?: string) =>
    numberedScenario(id, 1, intent === undefined ? {} : { reference_metadata: { intent } });
  const compare = async (test_batch: ReturnType<typeof scenario>[]) => {
    const before = await bench.evaluate({ test_batch });
    const after = await bench.evaluate({ test_batch, labeller: { endpoint: "http://l", model_id: "labeller" } });
    return bench.runs.compare(before.run_id, after.run_id, null);
  };
  const { scores, notes } = await compare([scenario("a", "refund"), scenario("b", "refund"), scenario("c", "refund")]);
  expect(scores.map(({ name }) => name)).not.toContain("overall");
  expect(notes).toEqual([
    "metadata.intent, metadata_match, overall left out: the runs labelled replies in different ways.",
  ]);
  expect(await compare([scenario("a"), scenario("b")])).toMatchObject({ verdict: "same", notes: [] });
});

test("compares a check only with an identical one, whatever its name", async () => {
  await using bench = await startBench({ models: { model: fakeModel((asked) => lastUserMessage(asked)) } });
  const evaluate = (scorers: ScorerSetting[], checks?: unknown[]) =>
    bench.evaluate({ test_batch: ["s", "t"].map((id) => numberedScenario(id, 1, { checks })), scorers });
  const check = (text: string, name?: string) =>
    ({ type: "contains", text, mode: "all", ignore_case: true, name }) satisfies ScorerSetting;
  const compare = async (...sides: { run_id: string }[]) => {
    const { scores, notes } = await bench.runs.compare(sides[0]!.run_id, sides[1]!.run_id, null);
    return { names: scores.map(({ name }) => name).filter((name) => name === "contains"), notes: notes.join(" ") };
  };

  const [first, other] = [await evaluate([check("q")]), await evaluate([check("a")])];
  expect(await compare(first, other)).toEqual({
    names: [],
    notes: expect.stringContaining("contains left out: the runs use different checks under the same name."),
  });
  const named = await evaluate([check("q", "contains")]);
  expect((await compare(first, named)).names).toEqual(["contains"]);
  const ofTurns = await evaluate([], [check("a")]);
  const ofBoth = await evaluate([check("q")], [check("a")]);
  expect((await compare(ofBoth, ofTurns)).names).toEqual([]);
  expect((await compare(first, await evaluate([]))).notes).not.toContain("contains");
});

test("leaves out overall when only one run has a custom scorer, unless weights exclude it", async () => {
  const customScorers: Record<string, () => number> = {};
  await using bench = await startBench({ models: { model: fakeModel(() => "a1") }, customScorers });
  const test_batch = ["s1", "s2"].map((id) => numberedScenario(id, 1, { reference_reply: "a1" }));
  const weighted = { test_batch, weights: { token_f1: 1 } };
  const before = { plain: await bench.evaluate({ test_batch }), weighted: await bench.evaluate(weighted) };
  customScorers["polite"] = () => 0;
  const after = { plain: await bench.evaluate({ test_batch }), weighted: await bench.evaluate(weighted) };
  const compare = (kind: "plain" | "weighted") => bench.runs.compare(before[kind].run_id, after[kind].run_id, null);
  const { scores, notes } = await compare("plain");
  expect(after.plain.summary.average_scores["overall"]).toBe(0.5);
  expect(notes).toEqual(["overall left out: polite is part of it in one of the runs only."]);
  expect(scores.map(({ verdict }) => verdict)).not.toContain("worse");
  expect(await compare("weighted")).toMatchObject({ verdict: "same", notes: [] });
  expect(await bench.runs.compare(after.plain.run_id, after.plain.run_id, null)).toMatchObject({ notes: [] });
});
