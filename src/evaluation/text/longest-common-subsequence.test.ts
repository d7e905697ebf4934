import fc from "fast-check";
import { expect, test } from "vitest";
import { longestCommonSubsequence } from "./longest-common-subsequence.ts";
import { toWordPair } from "./symbol-pair.ts";

/** The textbook table, as the oracle. */
function byTable(left: readonly string[], right: readonly string[]): number {
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

test("finds the longest common order", () => {
  expect(longestCommonSubsequence(toWordPair([..."abcbdab"], [..."bdcaba"]))).toBe(4);
  expect(longestCommonSubsequence(toWordPair([], ["a"]))).toBe(0);
});

test("agrees with the textbook table, over several blocks too", () => {
  const symbols = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 150, size: "max" });
  fc.assert(
    fc.property(symbols, symbols, (left, right) => {
      expect(longestCommonSubsequence(toWordPair(left, right))).toBe(byTable(left, right));
    }),
  );
});
