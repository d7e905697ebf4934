import { expect, test } from "vitest";
import { nearestName } from "./nearest-name.ts";

test.each([
  ["attemps", ["attempts", "history"], "attempts"],
  ["id", ["ids", "tags"], "ids"],
  ["sentiment", ["intent", "topic"], undefined],
  ["anything", [], undefined],
  [`${"x".repeat(81)}`, ["x".repeat(80)], undefined],
])("%j among %j was probably %j", (typed, names, meant) => {
  expect(nearestName(typed, names)).toBe(meant);
});
