import { expect, test } from "vitest";
import { findArithmetic } from "./arithmetic-question.ts";

test.each([
  ["What is 12 * 4?", "12 * 4"],
  ["what's 12 times 4", "12 * 4"],
  ["How much is 15% of 80?", "15 / 100 * 80"],
  ["calculate (3 + 4) * 2 please", "(3 + 4) * 2"],
  ["2+2", "2+2"],
  ["2 + 2 =", "2 + 2"],
  ["What is 1,250 plus 3?", "1250 + 3"],
  ["What is 7 × 8 − 2.5?", "7 * 8 - 2.5"],
  ["what is 3 x 4", "3 * 4"],
  ["What time is it, and what is 10 divided by 4?", "10 / 4"],
  ["Compute -3 + 5.", "-3 + 5"],
])("%s asks for %s", (text, expression) => {
  expect(findArithmetic(text)).toBe(expression);
});

test.each([
  "It took 2-3 days",
  "How much is delivery for 2-3 lamps?",
  "What is 42?",
  "My order is 48213",
  "What is (2 + 3?",
  "What is the plus plan?",
  "Call +49 30 1234",
  "",
])("%j asks for no sum", (text) => {
  expect(findArithmetic(text)).toBeNull();
});

test("a very long text is not read to its end", () => {
  expect(findArithmetic(`what is ${"1 ".repeat(50_000)} + 1`)).toBeNull();
});
