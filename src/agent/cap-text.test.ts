import fc from "fast-check";
import { expect, test } from "vitest";
import { capBytes } from "./cap-text.ts";

test("a short text stays as it is", () => {
  expect(capBytes("grüße", 7)).toBe("grüße");
});

test("a long text is cut and says so", () => {
  expect(capBytes("a".repeat(20), 8)).toBe(`${"a".repeat(8)}\n[cut: the first 8 of 20 bytes are shown]`);
});

test("a character is never cut in half", () => {
  expect(capBytes("a€€", 6)).toBe("a€\n[cut: the first 6 of 7 bytes are shown]");
  expect(capBytes("😀😀", 6).startsWith("😀\n[cut")).toBe(true);
});

test("what is kept of any text fits the limit and is its beginning", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (text, bytes) => {
      const kept = capBytes(text, bytes).split("\n[cut: the first ")[0] ?? "";
      expect(text.startsWith(kept)).toBe(true);
      expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(Math.max(bytes, 0));
    }),
  );
});
