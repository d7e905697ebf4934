import fc from "fast-check";
import { expect, test } from "vitest";
import { walkJson } from "./json-text.ts";

test.each([
  ["{", 1, null],
  ["", 0, null],
  ['{"a":x}', 5, "x"],
  ['{"a":1,}', 7, "}"],
  ["{'a':1}", 1, "'"],
  ["[1 2]", 3, "2"],
  ['{"a" 1}', 5, "1"],
  ['"abc', 4, null],
  ['"a\nb"', 2, "\n"],
  [String.raw`"\x"`, 2, "x"],
  [String.raw`"\u12g4"`, 5, "g"],
  ["01", 1, "1"],
  ["1.", 2, null],
  ["-", 1, null],
  ["1e+", 3, null],
  ["nul", 3, null],
  ["true false", 5, "f"],
  ["NaN", 0, "N"],
  ["[😀]", 1, "😀"],
  ["\ufeff{}", 0, "\ufeff"],
])("%j breaks at %i", (text, offset, found) => {
  expect(walkJson(text)).toEqual({ offset, found });
});

test("it agrees with the parser about every text", () => {
  const unit = fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    '"',
    "\\",
    ":",
    ",",
    "1",
    "0",
    "-",
    ".",
    "e",
    "true",
    "null",
    " ",
    "\n",
    "u",
  );
  const isValid = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const agrees = fc.property(fc.string({ unit, maxLength: 12 }), (text) => isValid(text) === (walkJson(text) === null));
  const sound = fc.property(fc.json(), (text) => walkJson(text) === null);
  expect(fc.check(agrees, { numRuns: 3000 }).counterexample).toBeNull();
  expect(fc.check(sound).counterexample).toBeNull();
});

test("the place of an error is the first that cannot be completed", () => {
  const junk = fc.constantFrom("", "?", ",", "}", "]", '"', "\\", "nul", "01", ":");
  fc.assert(
    fc.property(fc.json({ maxDepth: 3 }), fc.nat(), junk, (json, at, extra) => {
      const cut = at % (json.length + 1);
      const text = json.slice(0, cut) + extra + json.slice(cut + (extra === "" ? 1 : 0));
      const offset = walkJson(text)?.offset ?? text.length;
      expect(walkJson(text.slice(0, offset))?.offset ?? offset).toBe(offset);
    }),
    { numRuns: 300 },
  );
});

test("a hundred thousand levels are walked, and one that does not close is told", () => {
  const open = "[".repeat(100_000);
  expect(walkJson(open + "]".repeat(100_000))).toBeNull();
  expect(walkJson(open)).toEqual({ offset: 100_000, found: null });
});
