import fc from "fast-check";
import { expect, test } from "vitest";
import { levenshtein } from "../../base/text.ts";
import { editDistance, longestCommonSubsequence } from "./sequence-distance.ts";
import { toCharacterPair, toWordPair } from "./symbols.ts";
import { toCodePoints } from "./prepare-text.ts";

function between(left: string, right: string): number {
  return editDistance(toCharacterPair(toCodePoints(left), toCodePoints(right)));
}

/** The textbook table, as the oracle. */
function byTable(left: readonly string[], right: readonly string[]): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [index, symbol] of left.entries()) {
    const next = [index + 1];
    right.forEach((other, column) => {
      const replaced = (row[column] ?? 0) + (symbol === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    });
    row = next;
  }
  return row.at(-1) ?? 0;
}

test("edit distance counts the fewest edits", () => {
  expect(between("kitten", "sitting")).toBe(3);
  expect(between("", "abc")).toBe(3);
  expect(between("abc", "abc")).toBe(0);
});

test("edit distance agrees with an independent implementation, over several blocks too", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c", "d", " "), maxLength: 200, size: "max" });
  fc.assert(
    fc.property(text, text, (left, right) => {
      expect(between(left, right)).toBe(levenshtein(left, right));
    }),
  );
});

test("edit distance agrees for similar texts and for very different lengths", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c", " "), maxLength: 400, size: "max" });
  const edits = fc.array(fc.tuple(fc.nat(400), fc.constantFrom("", "x", "yz")), { maxLength: 30 });
  fc.assert(
    fc.property(text, edits, (left, changes) => {
      const right = changes.reduce((rest, [at, put]) => rest.slice(0, at) + put + rest.slice(at + 1), left);
      expect(between(left, right)).toBe(levenshtein(left, right));
      const short = right.substring(0, 9);
      expect(between(left, short)).toBe(levenshtein(left, short));
    }),
  );
});

test("edit distance of words agrees with the definition", () => {
  const words = (alphabet: string) => fc.array(fc.constantFrom(...alphabet), { maxLength: 300, size: "max" });
  fc.assert(
    fc.property(words("abc"), words("abcdefgh"), words("xyz"), (start, left, right) => {
      for (const [one, other] of [
        [left, right],
        [left, start],
        [
          [...start, ...left],
          [...start.slice(3), ...right],
        ],
        [
          [...left, ...start],
          [...right, "q", ...start],
        ],
      ] as const) {
        expect(editDistance(toWordPair(one, other))).toBe(byTable(one, other));
      }
    }),
  );
});

test("edit distance agrees in any script", () => {
  const text = fc.string({ unit: fc.constantFrom("ж", "я", "語", "👍", "a", "é"), maxLength: 150, size: "max" });
  fc.assert(
    fc.property(text, text, (left, right) => {
      expect(between(left, right)).toBe(byTable([...left], [...right]));
    }),
  );
});

test("an astral character is one edit, not two", () => {
  expect(between("👍 ok", "👎 ok")).toBe(1);
});

/** The textbook table, as the oracle. */
function lcsByTable(left: readonly string[], right: readonly string[]): number {
  let row = Array.from({ length: right.length + 1 }, () => 0);
  for (const symbol of left) {
    const next = [0];
    right.forEach((other, index) => {
      next.push(symbol === other ? (row[index] ?? 0) + 1 : Math.max(row[index + 1] ?? 0, next[index] ?? 0));
    });
    row = next;
  }
  return row.at(-1) ?? 0;
}

test("finds the longest common subsequence", () => {
  expect(longestCommonSubsequence(toWordPair([..."abcbdab"], [..."bdcaba"]))).toBe(4);
  expect(longestCommonSubsequence(toWordPair([], ["a"]))).toBe(0);
});

test("the longest common subsequence agrees with the textbook table, over several blocks too", () => {
  const symbols = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 150, size: "max" });
  fc.assert(
    fc.property(symbols, symbols, (left, right) => {
      expect(longestCommonSubsequence(toWordPair(left, right))).toBe(lcsByTable(left, right));
    }),
  );
});
