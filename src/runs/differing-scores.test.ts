import { expect, test } from "vitest";
import { differingScores } from "./differing-scores.ts";

const tally = { rubric_scores: new Set<string>() };
const side = (...embedders: string[]) => ({ measures: undefined, embedders: new Set(embedders), tally });

test.each([
  [side("mini at 0.300000"), side("mini at 0.310000"), "the runs had different embedders or baselines"],
  [side("mini at 0.300000"), side(), "one of the runs has no score of an embedder"],
])("scores that rest on embedders are left out where those differ, with what differs", (baseline, candidate, why) => {
  const { leaveOut, notes } = differingScores(baseline, candidate);
  expect([...leaveOut]).toEqual(["semantic_similarity", "overall"]);
  expect(notes[0]).toBe(`semantic_similarity, overall left out: ${why}.`);
});

test("where judges differ, what they said of the rubrics of turns is left out too", () => {
  const judgedBy = (judge: string, ...rubrics: string[]) => ({
    measures: { overall: "same", judge, judge_scores: ["judge_correctness"], labels: "same" },
    embedders: new Set<string>(),
    tally: { rubric_scores: new Set(rubrics) },
  });
  const { leaveOut } = differingScores(judgedBy("a", "rubric"), judgedBy("b", "rubric", "tone"));
  expect([...leaveOut].toSorted()).toEqual(
    ["conversation_rubrics", "judge_correctness", "judge_rubrics", "overall", "rubric", "tone"].toSorted(),
  );
  expect([...differingScores(judgedBy("a", "rubric"), judgedBy("a", "rubric")).leaveOut]).toEqual([]);
});
