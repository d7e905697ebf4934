import { expect, test } from "vitest";
import { createRandom } from "./random.ts";
import { reword, spoil } from "./vary.ts";

test("a reworded answer still holds the answer", () => {
  const reworded = reword("6 * 7 is 42.", createRandom("a"));
  expect(reworded).toMatch(/.+6 \* 7 is 42\.$/);
});

test("a spoiled answer has another figure, or half its words", () => {
  expect(spoil("6 * 7 is 42.", createRandom("a"))).toMatch(/^6 \* 7 is (?:43|44|49)\.$/);
  expect(spoil("I do not know that.", createRandom("a"))).toBe("I do not");
});
