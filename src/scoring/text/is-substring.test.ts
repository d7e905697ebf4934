import fc from "fast-check";
import { expect, test } from "vitest";
import { isSubstring } from "./is-substring.ts";

// Long enough for the linear search, with two letters so that partial matches are frequent.
const unit = fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 40 }).map((letters) => letters.join(""));

test("agrees with String.includes, also for long texts", () => {
  fc.assert(
    fc.property(unit, unit, unit, (start, repeated, end) => {
      const part = repeated.repeat(Math.ceil(4_000 / repeated.length)) + end;
      const text = start + repeated.repeat(Math.ceil(8_000 / repeated.length)) + end;
      expect(isSubstring(part, text)).toBe(true);
      expect(isSubstring(`${part}b${end}`, text)).toBe(text.includes(`${part}b${end}`));
      expect(isSubstring(`${start}${part}`, text)).toBe(text.includes(`${start}${part}`));
    }),
  );
});

test("searches megabytes in megabytes quickly", () => {
  const half = "a".repeat(2_000_000);
  expect(isSubstring(`${half}b${half}`, "a".repeat(8_000_000))).toBe(false);
  expect(isSubstring(`${half}b${half}`, `a${half}b${half}`)).toBe(true);
});

test("a text contains itself and the empty text, but no longer one", () => {
  expect([isSubstring("ab", "ab"), isSubstring("", "ab"), isSubstring("abc", "ab")]).toEqual([true, true, false]);
});
