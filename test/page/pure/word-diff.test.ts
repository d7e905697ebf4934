import fc from "fast-check";
import { expect, test } from "vitest";
import { wordDiff } from "../../../web/transcript/word-diff.ts";

const side = (parts: ReturnType<typeof wordDiff>, without: string): string =>
  (parts ?? []).flatMap((part) => (part.kind === without ? [] : [part.text])).join("");

test("both texts can be read back from a diff", () => {
  const words = fc
    .array(fc.constantFrom("refund", "order", "1234", ".", ",", "is", "late"))
    .map((list) => list.join(" "));
  fc.assert(
    fc.property(words, words, (reference, reply) => {
      const parts = wordDiff(reference, reply, 5000);
      expect(side(parts, "added")).toBe(reference);
      expect(side(parts, "removed")).toBe(reply);
    }),
    { numRuns: 200 },
  );
});

test("a change of several words is one change", () => {
  expect(wordDiff("a quick brown fox", "a slow red fox")).toEqual([
    { kind: "same", text: "a " },
    { kind: "removed", text: "quick brown" },
    { kind: "added", text: "slow red" },
    { kind: "same", text: " fox" },
  ]);
});

test("scripts without spaces are compared by words too", () => {
  expect(wordDiff("注文は明日届きます", "注文は今日届きます")).toEqual([
    { kind: "same", text: "注文は" },
    { kind: "removed", text: "明日" },
    { kind: "added", text: "今日" },
    { kind: "same", text: "届きます" },
  ]);
});

test("what would take too long is given up", () => {
  const text = (seed: number): string => Array.from({ length: 4000 }, (_, index) => `w${index * seed}`).join(" ");
  expect(wordDiff(text(3), text(7_919), 1)).toBeNull();
});
