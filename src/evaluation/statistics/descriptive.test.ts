import { expect, test } from "vitest";
import { correlation } from "./descriptive.ts";

test("correlation matches scipy, and is null when one side does not vary", () => {
  // scipy 1.17.1: pearsonr([1, 2, 3, 4, 5], [2, 1, 4, 3, 7]).
  expect(
    correlation([
      [1, 2],
      [2, 1],
      [3, 4],
      [4, 3],
      [5, 7],
    ]),
  ).toBeCloseTo(0.8241633836921339, 12);
  expect(
    correlation([
      [1, 2],
      [2, 2],
      [3, 2],
    ]),
  ).toBeNull();
  expect(
    correlation([
      [1, 2],
      [2, 1],
    ]),
  ).toBeNull();
});
