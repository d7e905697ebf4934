import fc from "fast-check";
import { distance } from "fastest-levenshtein";
import { expect, test } from "vitest";
import { editDistance } from "./edit-distance.ts";

test("counts the fewest edits", () => {
  expect(editDistance([..."kitten"], [..."sitting"])).toBe(3);
  expect(editDistance([], [..."abc"])).toBe(3);
  expect(editDistance([..."abc"], [..."abc"])).toBe(0);
});

test("agrees with an independent implementation, over several blocks too", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c", "d", " "), maxLength: 200, size: "max" });
  fc.assert(
    fc.property(text, text, (left, right) => {
      expect(editDistance([...left], [...right])).toBe(distance(left, right));
    }),
  );
});

test("agrees for texts that share most, and for texts of very different length", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c", " "), maxLength: 400, size: "max" });
  const edits = fc.array(fc.tuple(fc.nat(400), fc.constantFrom("", "x", "yz")), { maxLength: 30 });
  fc.assert(
    fc.property(text, edits, (left, changes) => {
      const right = changes.reduce((rest, [at, put]) => rest.slice(0, at) + put + rest.slice(at + 1), left);
      expect(editDistance([...left], [...right])).toBe(distance(left, right));
      const short = right.substring(0, 9);
      expect(editDistance([...left], [...short])).toBe(distance(left, short));
    }),
  );
});

test("an astral character is one edit, not two", () => {
  expect(editDistance([..."👍 ok"], [..."👎 ok"])).toBe(1);
});
