import { expect, test } from "vitest";
import { prepareText } from "../../scoring/text/prepare-text.ts";
import { createWordDifferences } from "./same-text.ts";

const [one, two] = ["a b c d e f", "a b c d x y"].map(prepareText) as [
  ReturnType<typeof prepareText>,
  ReturnType<typeof prepareText>,
];

test.each([[[2, 1, 2]], [[1, 2, 1]], [[0, 5, 2]]])(
  "finds differences within each limit, in any order: %j",
  (limits) => {
    const differences = createWordDifferences();
    expect(limits.map((most) => differences(one, two, most))).toEqual(limits.map((most) => (most < 2 ? null : 2)));
  },
);

test("does not reuse distances of another reply", () => {
  const differences = createWordDifferences();
  expect(differences(one, two, 3)).toBe(2);
  expect(differences(prepareText("a b c d x y"), two, 3)).toBe(0);
  expect(differences(prepareText("a b c"), two, 2)).toBeNull();
  expect(differences(one, two, 3)).toBe(2);
});
