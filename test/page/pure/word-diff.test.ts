import fc from "fast-check";
import { expect, test } from "vitest";
import { wordDiff } from "../../../web/transcript/word-diff.ts";

const side = (parts: ReturnType<typeof wordDiff>, without: string): string =>
  (parts ?? []).flatMap((part) => (part.kind === without ? [] : [part.text])).join("");

test("keeps both texts in the diff", () => {
  const words = fc
    .array(fc.constantFrom("refund", "order", "1234", ".", ",", "is", "late", " ", "  ", "\n"))
    .map((list) => list.join(" "));
  fc.assert(
    fc.property(words, words, (reference, reply) => {
      const parts = wordDiff(reference, reply);
      expect(side(parts, "added")).toBe(reference);
      expect(side(parts, "removed")).toBe(reply);
    }),
    { numRuns: 200 },
  );
});

test("joins a change of several words", () => {
  expect(wordDiff("a quick brown fox", "a slow red fox")).toEqual([
    { kind: "same", text: "a " },
    { kind: "removed", text: "quick brown" },
    { kind: "added", text: "slow red" },
    { kind: "same", text: " fox" },
  ]);
});

test("matches common words rather than spaces", () => {
  const reference = "I can help with that. Your refund for order 1042 arrives within 5 working days.";
  const reply = "A refund reaches your account within 5 working days after the parcel is back with us.";
  const same = wordDiff(reference, reply)?.flatMap(({ kind, text }) => (kind === "same" ? [text.trim()] : []));
  expect(same).toEqual(["refund", "within 5 working days", "."]);
});

test("shows differences in white space", () => {
  expect(wordDiff("a  b\n", "a b")).toEqual([
    { kind: "same", text: "a" },
    { kind: "removed", text: "  " },
    { kind: "added", text: " " },
    { kind: "same", text: "b" },
    { kind: "removed", text: "\n" },
  ]);
});

test("compares scripts without spaces by words", () => {
  expect(wordDiff("注文は明日届きます", "注文は今日届きます")).toEqual([
    { kind: "same", text: "注文は" },
    { kind: "removed", text: "明日" },
    { kind: "added", text: "今日" },
    { kind: "same", text: "届きます" },
  ]);
});

test("gives up on long texts without a common word", () => {
  const text = (seed: number): string => Array.from({ length: 4000 }, (_, index) => `w${index * seed}`).join(" ");
  expect(wordDiff(text(3), text(7_919))).toBeNull();
});
