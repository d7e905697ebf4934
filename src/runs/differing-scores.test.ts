import { expect, test } from "vitest";
import { differingScores } from "./differing-scores.ts";

const side = (...embedders: string[]) => ({ measures: undefined, embedders: new Set(embedders) });

test.each([
  [side("mini at 0.300000"), side("mini at 0.310000"), "the runs had different embedders or baselines"],
  [side("mini at 0.300000"), side(), "one of the runs has no score of an embedder"],
])("scores that rest on embedders are left out where those differ, with what differs", (baseline, candidate, why) => {
  const { leaveOut, notes } = differingScores(baseline, candidate);
  expect([...leaveOut]).toEqual(["semantic_similarity", "overall"]);
  expect(notes[0]).toBe(`semantic_similarity, overall left out: ${why}.`);
});
