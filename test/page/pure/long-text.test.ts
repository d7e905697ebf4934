import { expect, test } from "vitest";
import { beginningOf, beginningOfParts, endOf } from "../../../web/parts/long-text.ts";

test("a short text is shown as it is, a long one up to a whole character", () => {
  expect(beginningOf("a\ud83d")).toBe("a\ud83d");
  expect(beginningOf(`${"a".repeat(49_999)}😀 and more`)).toBe("a".repeat(49_999));
  expect(endOf("\ude00a")).toBe("\ude00a");
  expect(endOf(`more and 😀${"a".repeat(49_999)}`)).toBe("a".repeat(49_999));
});

test("parts are shown up to where the text is cut", () => {
  const parts = [
    { kind: "same", text: "a".repeat(49_998) },
    { kind: "removed", text: "bcd" },
    { kind: "added", text: "e" },
  ];
  expect(beginningOfParts(parts).slice(1)).toEqual([{ kind: "removed", text: "bc" }]);
  expect(beginningOfParts(parts.slice(1))).toEqual(parts.slice(1));
});
