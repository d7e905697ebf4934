import { expect, test } from "vitest";
import { closestName, matchesWildcard, normalizeNfkc, truncateText } from "./text.ts";

test("truncates a long text with an ellipsis, never in the middle of a character", () => {
  expect(truncateText("four", 4)).toBe("four");
  expect(truncateText("abcdef", 3)).toBe("abc…");
  expect(truncateText("ab😀", 3)).toBe("ab…");
});

test("gives compatible characters one form", () => {
  expect(normalizeNfkc("ﬁle ① ｶﾞ é e\u0301")).toBe("file 1 ガ é é");
});

test("keeps as many marks as UAX #15 allows, in canonical order", () => {
  expect(normalizeNfkc(`q\u0301\u0323`)).toBe("q\u0323\u0301");
  const marks = "\u0301".repeat(30);
  expect(normalizeNfkc(`q${marks}`)).toBe(`q${marks}`);
});

// Plain NFKC would take many minutes for these.
test.each([
  ["marks above and below", "\u0301\u0323"],
  ["sound marks that become marks", "\uFF9E\u0334"],
  ["marks outside the basic plane", "\u{1D165}\u{1E8D0}"],
])("normalizes a million %s within the time of a test", (_, pair) => {
  const unified = normalizeNfkc(`q${pair.repeat(500_000)}`);
  expect([...unified.replaceAll("\u034F", "")].length).toBe(1_000_001);
  expect(unified.split("\u034F").filter((row) => [...row].length > 31)).toEqual([]);
});

test("keeps the letters of a long text that would grow many times", () => {
  expect(normalizeNfkc("\uFDFA".repeat(100_000))).toBe("\uFDFA".repeat(100_000));
});

test.each([
  ["attemps", ["attempts", "history"], "attempts"],
  ["id", ["ids", "tags"], "ids"],
  ["sentiment", ["intent", "topic"], undefined],
  ["Reference_Reply", ["references", "reference_reply"], "reference_reply"],
  ["x", ["id", "tags"], undefined],
  ["anything", [], undefined],
  [`${"x".repeat(81)}`, ["x".repeat(80)], undefined],
])("matches %j among %j to %j", (typed, names, meant) => {
  expect(closestName(typed, names)).toBe(meant);
});

test.each([
  ["gpt-5", "gpt-5", true],
  ["gpt-5", "gpt-5*", true],
  ["gpt-5-mini", "gpt*mini", true],
  ["gpt-5-mini", "*5*", true],
  ["aba", "ab*ba", false],
  ["gpt-5", "gpt", false],
  ["a.b", "a?b", false],
  ["", "*", true],
  ["a".repeat(100_000), `${"*a".repeat(200)}*b`, false],
])("compares a text with wildcards: %#", (given, pattern, matches) => {
  expect(matchesWildcard(given, pattern)).toBe(matches);
});
