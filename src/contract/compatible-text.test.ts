import { expect, test } from "vitest";
import { compatibleText } from "./compatible-text.ts";

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
