import { expect, test } from "vitest";
import { firstCharacters } from "./first-characters.ts";

test("a long text is cut and says so, and never in the middle of a character", () => {
  expect(firstCharacters("four", 4)).toBe("four");
  expect(firstCharacters("abcdef", 3)).toBe("abc…");
  expect(firstCharacters("ab😀", 3)).toBe("ab…");
});
