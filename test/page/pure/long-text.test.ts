import { expect, test } from "vitest";
import { headText, headParts, tailText } from "../../../web/parts/text/long-text.ts";

test("cuts long texts without splitting a character", () => {
  expect(headText("a\ud83d")).toBe("a\ud83d");
  expect(headText(`${"a".repeat(49_999)}😀 and more`)).toBe("a".repeat(49_999));
  expect(tailText("\ude00a")).toBe("\ude00a");
  expect(tailText(`more and 😀${"a".repeat(49_999)}`)).toBe("a".repeat(49_999));
});

test("cuts a text in parts at the same length", () => {
  const parts = [
    { kind: "same", text: "a".repeat(49_998) },
    { kind: "removed", text: "bcd" },
    { kind: "added", text: "e" },
  ];
  expect(headParts(parts).slice(1)).toEqual([{ kind: "removed", text: "bc" }]);
  expect(headParts(parts.slice(1))).toEqual(parts.slice(1));
});
