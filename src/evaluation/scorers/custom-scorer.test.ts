import { expect, test } from "vitest";
import { runCustomScorer, type CustomScore } from "./custom-scorer.ts";

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

test.each([
  [null, "x".repeat(100_000), "x".repeat(500)],
  [0.5, "x".repeat(100_000), "x".repeat(500)],
  [null, 7, "7"],
  [null, { why: "no number" }, "[object Object]"],
  [1, null, undefined],
  [null, null, "the scorer gave no value"],
])("the reason of a value of %s is a text of bounded length", async (value, reason, text) => {
  const scorer = () => ({ value, reason }) as CustomScore;
  expect(await runCustomScorer("mine", scorer, input)).toEqual({ name: "mine", value, reason: text });
});
