import { expect, test } from "vitest";
import { toQueryTerms, toTerm, toTerms } from "./knowledge-index.ts";

test("indexes text without spaces by pairs and its last character", () => {
  expect(toTerms("配送料 free")).toEqual(["配送", "送料", "料", "free"]);
  expect(toQueryTerms("配送料 free")).toEqual(["配送", "送料", "free"]);
  expect(toTerms("猫")).toEqual(["猫"]);
});

// The index goes through every letter that a term may go on with: with thousands of them a book takes minutes.
test("keeps the branching of terms small for scripts with thousands of characters", () => {
  const characters = Array.from({ length: 20_000 }, (_, index) => String.fromCodePoint(0x4e00 + index));
  const terms = characters.map(toTerm);
  for (const place of [0, 1, 2, 3]) expect(new Set(terms.map((term) => term[place])).size).toBeLessThanOrEqual(16);
  expect(new Set(terms).size).toBe(characters.length);
});
