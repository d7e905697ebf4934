import { expect, test } from "vitest";
import { compatibleText, firstCharacters, nearestName } from "./text.ts";

test("a long text is cut and says so, and never in the middle of a character", () => {
  expect(firstCharacters("four", 4)).toBe("four");
  expect(firstCharacters("abcdef", 3)).toBe("abc…");
  expect(firstCharacters("ab😀", 3)).toBe("ab…");
});

test("characters that mean the same have one form", () => {
  expect(compatibleText("ﬁle ① ｶﾞ é e\u0301")).toBe("file 1 ガ é é");
});

test("as many marks as a language may write stay as they are, in their order", () => {
  expect(compatibleText(`q\u0301\u0323`)).toBe("q\u0323\u0301");
  const marks = "\u0301".repeat(30);
  expect(compatibleText(`q${marks}`)).toBe(`q${marks}`);
});

// In one row these would keep the processor busy for hours.
test.each([
  ["marks above and below", "\u0301\u0323"],
  ["sound marks that become marks", "\uFF9E\u0334"],
  ["marks outside the basic plane", "\u{1D165}\u{1E8D0}"],
])("millions of %s are put in order in good time", (_, pair) => {
  const unified = compatibleText(`q${pair.repeat(2_000_000)}`);
  expect([...unified.replaceAll("\u034F", "")].length).toBe(4_000_001);
  expect(unified.split("\u034F").filter((row) => [...row].length > 31)).toEqual([]);
});

test("a long text that would grow many times keeps its letters", () => {
  expect(compatibleText("\uFDFA".repeat(100_000))).toBe("\uFDFA".repeat(100_000));
});

test.each([
  ["attemps", ["attempts", "history"], "attempts"],
  ["id", ["ids", "tags"], "ids"],
  ["sentiment", ["intent", "topic"], undefined],
  ["Reference_Reply", ["references", "reference_reply"], "reference_reply"],
  ["x", ["id", "tags"], undefined],
  ["anything", [], undefined],
  [`${"x".repeat(81)}`, ["x".repeat(80)], undefined],
])("%j among %j was probably %j", (typed, names, meant) => {
  expect(nearestName(typed, names)).toBe(meant);
});
