import fc from "fast-check";
import { expect, test } from "vitest";
import { findJsonError } from "./json-error.ts";

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
  expect(findJsonError(text)).toEqual({ offset, found });
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
  const agrees = fc.property(
    fc.string({ unit, maxLength: 12 }),
    (text) => isValid(text) === (findJsonError(text) === null),
  );
  const sound = fc.property(fc.json(), (text) => findJsonError(text) === null);
  expect(fc.check(agrees, { numRuns: 3000 }).counterexample).toBeNull();
  expect(fc.check(sound).counterexample).toBeNull();
});
