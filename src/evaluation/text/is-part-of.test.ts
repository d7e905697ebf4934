import fc from "fast-check";
import { expect, test } from "vitest";
import { isPartOf } from "./is-part-of.ts";

// Long enough for the search of our own, of two letters so that much of one text is found in the other.
const unit = fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 40 }).map((letters) => letters.join(""));

test("says what includes says, also of long texts", () => {
  fc.assert(
    fc.property(unit, unit, unit, (start, repeated, end) => {
      const part = repeated.repeat(Math.ceil(4_000 / repeated.length)) + end;
      const text = start + repeated.repeat(Math.ceil(8_000 / repeated.length)) + end;
      expect(isPartOf(part, text)).toBe(true);
      expect(isPartOf(`${part}b${end}`, text)).toBe(text.includes(`${part}b${end}`));
      expect(isPartOf(`${start}${part}`, text)).toBe(text.includes(`${start}${part}`));
    }),
  );
});

test("a text of megabytes is looked for in one of megabytes in good time", () => {
  const half = "a".repeat(2_000_000);
  expect(isPartOf(`${half}b${half}`, "a".repeat(8_000_000))).toBe(false);
  expect(isPartOf(`${half}b${half}`, `a${half}b${half}`)).toBe(true);
});

test("a text is part of itself, the empty one of all, a longer one of none", () => {
  expect([isPartOf("ab", "ab"), isPartOf("", "ab"), isPartOf("abc", "ab")]).toEqual([true, true, false]);
});
