import { expect, test } from "vitest";
import { runCustomScorer } from "./custom-scorer.ts";

const input = {
  user_message: "q",
  reply: "a",
  references: [],
  reference_metadata: {},
  generated_metadata: {},
  interaction_id: "1",
};

test.each([
  [1.0000000000000002, 1],
  [-1e-17, 0],
  [0.5, 0.5],
  [1.01, null],
  [Number.NaN, null],
  [Number.POSITIVE_INFINITY, null],
])("a scorer's %d counts as %d", async (given, value) => {
  expect(await runCustomScorer("mine", () => given, input)).toMatchObject({ name: "mine", value });
});
