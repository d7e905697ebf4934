import { expect, test } from "vitest";
import { nearestName } from "./nearest-name.ts";

test.each([
  ["attemps", ["attempts", "history"], "attempts"],
  ["id", ["ids", "tags"], "ids"],
  ["sentiment", ["intent", "topic"], undefined],
  ["Reference_Reply", ["references", "reference_reply"], "reference_reply"],
  ["x", ["id", "tags"], undefined],
  ["anything", [], undefined],
  [`${"x".repeat(81)}`, ["x".repeat(80)], undefined],
])("%j among %j was probably %j", (typed, names, meant) => {
  expect(nearestName(typed, names)).toBe(meant);
});
